#include "parkbench/postgres/await_connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <random>

#include "parkbench/base/thread.hpp"
#include "postgres/blocking_caller.hpp"
#include "postgres/test_server.hpp"

namespace parkbench::postgres {
namespace {

using measure::Phase;
using testing::BlockingCaller;
using testing::failure_of;
using ::testing::HasSubstr;
using testing::server;

const std::vector<Statement> kStatements{{"one", "SELECT 1::int8", {}}, {"sleep", "SELECT pg_sleep($1)", {kFloat8}}};

/// A clock whose every reading is known, and a wait that lets the test act before it returns.
class ScriptedWaiter final : public io::Waiter {
 public:
  const Clock& clock() const override { return clock_; }
  io::Woken wait_ready(io::IoSource& s, io::Interest i, Deadline /*deadline*/) override {
    clock_.advance(1000);
    real_.waiter.wait_ready(s, i, Deadline::never());
    return {.timed_out = false, .told = clock_.now(), .running = clock_.now()};
  }
  io::Woken sleep_until(Ns when, io::WaitReason /*reason*/) override {
    clock_.set(when);
    return {false, when, when};
  }
  io::Woken park(Deadline deadline, io::WaitReason reason) override {
    EXPECT_EQ(reason, io::WaitReason::connection);
    const bool timed_out = on_park(deadline);
    return {.timed_out = timed_out, .told = clock_.now(), .running = clock_.now()};
  }
  io::Unparker unparker() override {
    return {[](void* count) { ++*static_cast<int*>(count); }, &unparked};
  }

  std::function<bool(Deadline)> on_park;
  int unparked = 0;
  ManualClock clock_{1000};

 private:
  BlockingCaller real_;
};

class AwaitConnectionTest : public ::testing::Test {
 protected:
  AwaitConnectionTest() { trace_.begin(Phase::cpu, 900); }
  Lease acquire_now(Deadline deadline = Deadline::never()) { return acquire(pool_, waiter_, deadline, trace_); }

  ScriptedWaiter waiter_;
  measure::PhaseTrace trace_;
  ConnectionPool pool_{server().dsn(), 1, kStatements, waiter_.clock_};
};

TEST_F(AwaitConnectionTest, OpeningAConnectionCountsAsConnection) {
  const Lease lease = acquire_now();
  EXPECT_TRUE(lease->ready());
  EXPECT_TRUE(lease->is_prepared(kStatements[1]));
  EXPECT_EQ(trace_.spent(Phase::cpu), 100);
  EXPECT_EQ(trace_.spent(Phase::connection), waiter_.clock_.now() - 1000);
  EXPECT_GT(trace_.spent(Phase::connection), 0);
}

TEST_F(AwaitConnectionTest, AConnectionThatLayIdleIsThereAtOnce) {
  acquire_now().release();
  trace_.clear();
  trace_.begin(Phase::cpu, waiter_.clock_.now());
  const Lease lease = acquire_now();
  EXPECT_EQ(trace_.spent(Phase::connection), 0);
  EXPECT_EQ(trace_.spent(Phase::wakeup), 0);
}

TEST_F(AwaitConnectionTest, AWaitEndsWithTheGrantThenComesTheWakeUp) {
  Lease held = acquire_now();
  trace_.clear();
  const Ns start = waiter_.clock_.now();
  trace_.begin(Phase::cpu, start);
  waiter_.on_park = [&](Deadline) {
    waiter_.clock_.advance(50);
    if (!held) return false;
    if (waiter_.clock_.now() < start + 100) return false;  // the first return is for no reason
    held.release();
    EXPECT_EQ(waiter_.unparked, 1);
    waiter_.clock_.advance(9);
    return false;
  };
  const Lease lease = acquire_now();
  EXPECT_TRUE(lease);
  EXPECT_EQ(trace_.spent(Phase::connection), 100);
  EXPECT_EQ(trace_.spent(Phase::wakeup), 9);
  EXPECT_EQ(trace_.spent(Phase::cpu), 0);
  trace_.end(waiter_.clock_.now() + 3);
  EXPECT_EQ(trace_.spent(Phase::cpu), 3);
}

TEST_F(AwaitConnectionTest, AfterItsTimeItFailsWithThePoolsFigures) {
  const Lease held = acquire_now();
  waiter_.on_park = [&](Deadline deadline) {
    waiter_.clock_.set(deadline.when());
    return true;
  };
  const Error error = failure_of([&] { acquire_now(Deadline::at(waiter_.clock_.now() + 500)); });
  EXPECT_EQ(error.code, ErrorCode::pool_timeout);
  EXPECT_THAT(error.message, HasSubstr("1 of 1 connections in use, 0 requests waiting"));
  EXPECT_EQ(pool_.counters().waiting, 0);
}

TEST_F(AwaitConnectionTest, AGrantThatMeetsTheTimeoutIsNotLost) {
  Lease held = acquire_now();
  waiter_.on_park = [&](Deadline deadline) {
    held.release();  // granted, and yet the wait says that its time is up
    waiter_.clock_.set(deadline.when());
    return true;
  };
  Lease lease = acquire_now(Deadline::at(waiter_.clock_.now() + 500));
  EXPECT_TRUE(lease);
  lease.release();
  EXPECT_EQ(pool_.counters().in_use, 0);
}

TEST_F(AwaitConnectionTest, ClosingThePoolEndsTheWait) {
  Lease held = acquire_now();
  waiter_.on_park = [&](Deadline) {
    pool_.close();
    return false;
  };
  EXPECT_EQ(failure_of([&] { acquire_now(); }).code, ErrorCode::cancelled);
  EXPECT_EQ(failure_of([&] { acquire_now(); }).code, ErrorCode::cancelled);
}

TEST_F(AwaitConnectionTest, ADatabaseThatIsNotThereFailsAfterTheRetriesAndGivesTheConnectionBack) {
  ConnectionPool pool(Dsn::parse("host=/nowhere/at/all user=u"), 1, {}, waiter_.clock_);
  const Error error = failure_of([&] { acquire(pool, waiter_, Deadline::never(), trace_); });
  EXPECT_EQ(error.code, ErrorCode::db_connect);
  EXPECT_EQ(pool.counters().in_use, 0);
  EXPECT_EQ(trace_.spent(Phase::connection), 10 * kSecond);
}

TEST(AwaitConnection, AnIdleConnectionThatWasKilledIsReplacedWithoutAnError) {
  BlockingCaller caller;
  ConnectionPool pool(server().dsn(), 1, kStatements, caller.clock);
  int before = 0;
  {
    const Lease lease = acquire(pool, caller.waiter, caller.soon(), caller.trace);
    before = lease->backend_pid();
  }
  Connection killer(std::make_shared<const Dsn>(server().dsn()));
  caller.connect(killer);
  caller.query(killer, {"kill", "SELECT pg_terminate_backend($1::int4, 10000)", {kInt8}}, Params(std::int64_t{before}));
  const Lease lease = acquire(pool, caller.waiter, caller.soon(), caller.trace);
  EXPECT_EQ(caller.query(*lease, kStatements[0])[0].int64(0), 1);
  EXPECT_NE(lease->backend_pid(), before);
}

TEST(AwaitConnection, FiftyCallersWithShortTimeoutsLoseNoConnection) {
  constexpr int kCallers = 50;
  constexpr int kRounds = 200;
  const Clock& clock = SteadyClock::instance();
  ConnectionPool pool(server().dsn(), 5, kStatements, clock);
  std::atomic<int> got{0};
  std::atomic<int> timed_out{0};
  std::atomic<int> wrong{0};
  {
    BlockingCaller caller;
    open_all(pool, caller.waiter, caller.soon());
  }
  {
    std::latch start(kCallers);
    std::vector<Thread> threads;
    for (int i = 0; i < kCallers; ++i) {
      threads.emplace_back("caller", [&, i] {
        BlockingCaller caller;
        std::mt19937 random(static_cast<unsigned>(i));
        start.arrive_and_wait();
        for (int round = 0; round < kRounds; ++round) {
          try {
            // Most deadlines fall into the wait, many of them next to a grant.
            const Ns patience = static_cast<Ns>(random() % 2000) * kMicrosecond;
            const Lease lease = acquire(pool, caller.waiter, caller.within(patience), caller.trace);
            const auto mischief = random() % 50;
            if (mischief == 0) lease->mark_broken();
            if (mischief == 1) caller.query(*lease, {"begin", "BEGIN", {}});
            if (lease->ready() && caller.query(*lease, kStatements[0])[0].int64(0) != 1) ++wrong;
            ++got;
          } catch (const Failure& failure) {
            // A deadline may also fall into opening a connection.
            const bool expected = failure.code() == ErrorCode::pool_timeout || failure.code() == ErrorCode::db_connect;
            ++(expected ? timed_out : wrong);
          }
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(got, 0);
  EXPECT_GT(timed_out, 0);
  EXPECT_EQ(got + timed_out, kCallers * kRounds);
  const PoolCounters now = pool.counters();
  EXPECT_EQ(now.in_use, 0);
  EXPECT_EQ(now.waiting, 0);
  EXPECT_EQ(now.acquired, now.released);
  BlockingCaller caller;
  std::vector<Lease> all;
  for (int i = 0; i < 5; ++i) all.push_back(acquire(pool, caller.waiter, caller.soon(), caller.trace));
  for (const Lease& lease : all) EXPECT_EQ(caller.query(*lease, kStatements[0])[0].int64(0), 1);
}

}  // namespace
}  // namespace parkbench::postgres
