#include "parkbench/postgres/acquire_mono.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postgres/blocking_caller.hpp"
#include "postgres/loop_caller.hpp"
#include "postgres/test_server.hpp"

namespace parkbench::postgres {
namespace {

using measure::Phase;
using ::testing::HasSubstr;
using testing::LoopCaller;
using testing::server;

const std::vector<Statement> kStatements{{"one", "SELECT 1::int8", {}}};

class AcquireMonoTest : public ::testing::Test {
 protected:
  ~AcquireMonoTest() override { pool_.close(); }  // before the loops whose pollers know its connections

  auto ask(LoopCaller& caller, Deadline deadline = Deadline::never()) {
    return caller.subscribe([&, deadline] { return acquire_mono(pool_, caller.loop, deadline, caller.trace); });
  }
  void give_back(LoopCaller& caller, Lease lease) {
    caller.on_loop([&] { lease.release(); });
  }

  LoopCaller one_;
  LoopCaller two_;
  ConnectionPool pool_{server().dsn(), 1, kStatements, SteadyClock::instance()};
};

TEST_F(AcquireMonoTest, OpensTheConnectionAndCountsThatAsConnection) {
  Lease lease = ask(one_)->value();
  EXPECT_TRUE(lease->ready());
  EXPECT_TRUE(lease->is_prepared(kStatements[0]));
  one_.on_loop([&] { EXPECT_GT(one_.trace.spent(Phase::connection), 0); });
  EXPECT_EQ(one_.waiting(io::WaitReason::connection), 0);
  give_back(one_, std::move(lease));
  EXPECT_EQ(pool_.counters().in_use, 0);
}

TEST_F(AcquireMonoTest, WhoIsInLineIsServedFromAnotherThreadInOrder) {
  Lease held = ask(one_)->value();
  const auto first = ask(two_);
  const auto second = ask(one_);
  EXPECT_EQ(one_.waiting(io::WaitReason::connection), 1);
  EXPECT_EQ(two_.waiting(io::WaitReason::connection), 1);
  EXPECT_EQ(pool_.counters().waiting, 2);
  give_back(one_, std::move(held));
  Lease next = first->value();
  EXPECT_FALSE(second->over());
  two_.on_loop([&] {
    EXPECT_GT(two_.trace.spent(Phase::connection), 0);
    EXPECT_GE(two_.trace.spent(Phase::wakeup), 0);
  });
  give_back(two_, std::move(next));
  give_back(one_, second->value());
  EXPECT_EQ(pool_.counters().acquired, 3U);
  EXPECT_EQ(pool_.counters().in_use, 0);
  EXPECT_EQ(one_.waiting(io::WaitReason::connection), 0);
  EXPECT_EQ(two_.waiting(io::WaitReason::connection), 0);
}

TEST_F(AcquireMonoTest, AfterItsTimeItFailsWithThePoolsFigures) {
  Lease held = ask(one_)->value();
  const Error error = ask(two_, two_.within(10 * kMillisecond))->error();
  EXPECT_EQ(error.code, ErrorCode::pool_timeout);
  EXPECT_THAT(error.message, HasSubstr("1 of 1 connections in use"));
  EXPECT_EQ(pool_.counters().waiting, 0);
  EXPECT_EQ(two_.waiting(io::WaitReason::connection), 0);
  give_back(one_, std::move(held));
}

TEST_F(AcquireMonoTest, CancelledInLineItLeavesTheLine) {
  Lease held = ask(one_)->value();
  const auto outcome = ask(two_);
  two_.cancel(outcome->handle);
  EXPECT_EQ(pool_.counters().waiting, 0);
  EXPECT_EQ(two_.waiting(io::WaitReason::connection), 0);
  give_back(one_, std::move(held));
  EXPECT_EQ(pool_.counters().in_use, 0);
  EXPECT_FALSE(outcome->over());
}

TEST_F(AcquireMonoTest, AGrantThatMeetsTheCancelGoesBack) {
  Lease held = ask(one_)->value();
  const auto outcome = ask(two_);
  two_.on_loop([&] {
    // The grant is queued behind this very task: the waiter is out of the line but has not heard of it.
    held.release();
    EXPECT_EQ(pool_.counters().in_use, 1);
    outcome->handle.dispose();
  });
  two_.on_loop([] {});
  EXPECT_EQ(pool_.counters().in_use, 0);
  EXPECT_EQ(two_.waiting(io::WaitReason::connection), 0);
  EXPECT_FALSE(outcome->over());
}

TEST_F(AcquireMonoTest, CancelledWhileOpeningItGivesTheConnectionBack) {
  one_.on_loop([&] {
    one_.trace.begin(Phase::cpu, 0);
    const auto handle =
        acquire_mono(pool_, one_.loop, Deadline::never(), one_.trace).subscribe([](Lease&&) { FAIL(); });
    EXPECT_EQ(pool_.counters().in_use, 1);
    handle.dispose();
    EXPECT_EQ(pool_.counters().in_use, 0);
  });
  EXPECT_EQ(one_.waiting(io::WaitReason::connection), 0);
  give_back(one_, ask(one_)->value());
}

TEST_F(AcquireMonoTest, ClosingThePoolFailsWhoIsInLineAndWhoComesLater) {
  Lease held = ask(one_)->value();
  const auto outcome = ask(two_);
  pool_.close();
  EXPECT_EQ(outcome->error().code, ErrorCode::cancelled);
  EXPECT_EQ(ask(two_)->error().code, ErrorCode::cancelled);
  give_back(one_, std::move(held));
}

TEST_F(AcquireMonoTest, ADatabaseThatIsNotThereIsToldAfterTheRetries) {
  ConnectionPool pool(Dsn::parse("host=/nowhere/at/all user=u"), 1, {}, SteadyClock::instance());
  const auto outcome =
      one_.subscribe([&] { return acquire_mono(pool, one_.loop, one_.within(120 * kMillisecond), one_.trace); });
  const Error error = outcome->error();
  EXPECT_EQ(error.code, ErrorCode::db_connect);
  EXPECT_THAT(error.message, HasSubstr("No such file"));
  one_.on_loop([] {});
  EXPECT_EQ(pool.counters().in_use, 0);
}

TEST_F(AcquireMonoTest, ManyOnTwoLoopsWithTimeoutsAndCancelsLoseNoConnection) {
  give_back(one_, ask(one_)->value());
  std::atomic<int> over{0};
  int cancelled = 0;
  constexpr int kRequests = 2000;
  for (int i = 0; i < kRequests; ++i) {
    LoopCaller& caller = i % 2 == 0 ? one_ : two_;
    caller.on_loop([&] {
      // A trace per request would be usual; here nobody reads it.
      const Deadline patience = caller.within((i % 7) * 100 * kMicrosecond);
      const auto handle = acquire_mono(pool_, caller.loop, patience, caller.trace)
                              .subscribe(
                                  [&over, &caller](Lease&& lease) {
                                    ++over;
                                    // Held for a turn of the loop.
                                    caller.loop.post([held = std::make_shared<Lease>(std::move(lease))] {});
                                  },
                                  [&over](const Error&) { ++over; });
      if (i % 5 != 0 || handle.disposed()) return;
      handle.dispose();
      ++cancelled;
    });
  }
  // Nobody is left behind: the last in line is served or timed out.
  give_back(one_, ask(one_, one_.soon())->value());
  give_back(two_, ask(two_, two_.soon())->value());
  one_.on_loop([] {});
  two_.on_loop([] {});
  const PoolCounters now = pool_.counters();
  EXPECT_EQ(now.waiting, 0);
  EXPECT_EQ(now.in_use, 0);
  EXPECT_EQ(now.acquired, now.released);
  EXPECT_EQ(over + cancelled, kRequests);
}

}  // namespace
}  // namespace parkbench::postgres
