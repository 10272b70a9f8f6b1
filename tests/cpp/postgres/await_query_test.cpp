#include "parkbench/postgres/await_query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "postgres/blocking_caller.hpp"
#include "postgres/test_server.hpp"

namespace parkbench::postgres {
namespace {

using measure::Phase;
using testing::BlockingCaller;
using testing::failure_of;
using ::testing::HasSubstr;
using testing::server;

/// Reads and stops like a BlockingWaiter, but on a clock that moves by known steps only, so that each phase is exact.
class SteppedWaiter final : public io::Waiter {
 public:
  const Clock& clock() const override { return clock_; }
  io::Woken wait_ready(io::IoSource& source, io::Interest interest, Deadline deadline) override {
    if (std::exchange(spurious, false)) {
      clock_.advance(10);
      return {.timed_out = false, .told = clock_.now(), .running = clock_.now()};
    }
    if (deadline.passed(clock_.now() + 100)) {
      clock_.set(deadline.when());
      return {.timed_out = true, .told = clock_.now(), .running = clock_.now()};
    }
    if (before_wait) before_wait();
    real_.waiter.wait_ready(source, interest, Deadline::never());
    clock_.advance(100);
    const Ns told = clock_.now();
    clock_.advance(7);
    return {.timed_out = false, .told = told, .running = clock_.now()};
  }
  io::Woken sleep_until(Ns when, io::WaitReason /*reason*/) override { return {false, when, when}; }
  io::Woken park(Deadline /*deadline*/, io::WaitReason /*reason*/) override { return {}; }
  io::Unparker unparker() override { return {}; }

  bool spurious = false;  // the next wait ends at once, for no reason
  std::function<void()> before_wait;
  ManualClock clock_{1000};

 private:
  BlockingCaller real_;
};

class AwaitQueryTest : public ::testing::Test {
 protected:
  AwaitQueryTest() {
    ensure_connected(connection_, statements_, caller_.waiter, caller_.soon());
    trace_.begin(Phase::cpu, 900);
  }

  const std::vector<Statement> statements_{{"one", "SELECT 1::int8", {}},
                                           {"fail", "SELECT 1/$1", {kInt8}},
                                           {"sleep", "SELECT pg_sleep($1)", {kFloat8}},
                                           {"locked", "SELECT pg_advisory_xact_lock(1)", {}}};
  BlockingCaller caller_;
  Connection connection_{std::make_shared<const Dsn>(server().dsn())};
  SteppedWaiter waiter_;
  measure::PhaseTrace trace_;

  void expect_cpu_open() {
    trace_.turn(Phase::cpu, waiter_.clock_.now());
    const Ns before = trace_.spent(Phase::cpu);
    trace_.end(waiter_.clock_.now() + 5);
    EXPECT_EQ(trace_.spent(Phase::cpu), before + 5);
  }
};

TEST_F(AwaitQueryTest, DatabaseRunsFromTheSendToTheTellingThenWakeupThenCpu) {
  await_query(connection_, statements_[0], {}, waiter_, Deadline::never(), trace_);
  EXPECT_EQ(trace_.spent(Phase::cpu), 100);
  EXPECT_EQ(trace_.spent(Phase::database), 100);
  EXPECT_EQ(trace_.spent(Phase::wakeup), 7);
  expect_cpu_open();
}

TEST_F(AwaitQueryTest, AWakeUpForNothingStaysInDatabase) {
  // A lock holds the answer back until the second wait.
  Connection holder(std::make_shared<const Dsn>(server().dsn()));
  caller_.connect(holder);
  caller_.query(holder, {"lock", "SELECT pg_advisory_lock(1)", {}});
  waiter_.spurious = true;
  waiter_.before_wait = [&] { caller_.query(holder, {"unlock", "SELECT pg_advisory_unlock(1)", {}}); };
  await_query(connection_, statements_[3], {}, waiter_, Deadline::never(), trace_);
  EXPECT_EQ(trace_.spent(Phase::database), 110);
  EXPECT_EQ(trace_.spent(Phase::wakeup), 7);
}

TEST_F(AwaitQueryTest, AnErrorLeavesThePhasesInOrder) {
  const Error error = failure_of(
      [&] { await_query(connection_, statements_[1], Params(std::int64_t{0}), waiter_, Deadline::never(), trace_); });
  EXPECT_EQ(error.code, ErrorCode::db_error);
  // The server sends the error and what follows it in two pieces, which may arrive as one.
  EXPECT_THAT(trace_.spent(Phase::database), ::testing::AnyOf(100, 207));
  expect_cpu_open();
  EXPECT_TRUE(connection_.ready());
}

TEST_F(AwaitQueryTest, PastItsDeadlineTheConnectionIsBroken) {
  const Error error = failure_of(
      [&] { await_query(connection_, statements_[2], Params(3600.0), waiter_, Deadline::at(1050), trace_); });
  EXPECT_EQ(error.code, ErrorCode::timeout);
  EXPECT_EQ(connection_.state(), ConnectionState::broken);
  EXPECT_EQ(trace_.spent(Phase::database), 50);
  expect_cpu_open();
}

TEST_F(AwaitQueryTest, ADeadlineThatPassedBeforeTheSendCostsNoConnection) {
  const Error error =
      failure_of([&] { await_query(connection_, statements_[0], {}, waiter_, Deadline::at(1000), trace_); });
  EXPECT_EQ(error.code, ErrorCode::timeout);
  EXPECT_TRUE(connection_.ready());
  expect_cpu_open();
}

/// A waiter that is told of everything 20 ms late.
class LateWaiter final : public io::Waiter {
 public:
  static constexpr Ns kLate = 20 * kMillisecond;
  const Clock& clock() const override { return real_.clock; }
  io::Woken wait_ready(io::IoSource& source, io::Interest interest, Deadline deadline) override {
    io::Woken woken = real_.waiter.wait_ready(source, interest, deadline);
    const Ns heard = woken.told + kLate;
    while (clock().now() < heard) {
    }
    return {.timed_out = woken.timed_out, .told = heard, .running = clock().now()};
  }
  io::Woken sleep_until(Ns when, io::WaitReason /*reason*/) override { return {false, when, when}; }
  io::Woken park(Deadline /*deadline*/, io::WaitReason /*reason*/) override { return {}; }
  io::Unparker unparker() override { return {}; }

 private:
  BlockingCaller real_;
};

/// Phases of a statement whose waiter is late, on a connection to that address.
measure::PhaseTrace late_on(const std::string& option, bool sampled = true) {
  const std::vector<Statement> statements{{"one", "SELECT 1::int8", {}}};
  BlockingCaller caller;
  Connection connection(std::make_shared<const Dsn>(server().dsn_with(option)));
  ensure_connected(connection, statements, caller.waiter, caller.soon());
  for (int i = 0; i < 50; ++i) caller.query(connection, statements[0]);  // the kernel begins to stamp a little late
  LateWaiter waiter;
  measure::PhaseTrace trace;
  trace.set_sampled(sampled);
  trace.begin(Phase::cpu, waiter.clock().now());
  await_query(connection, statements[0], {}, waiter, Deadline::never(), trace);
  return trace;
}

TEST(ResultTime, OnTcpItIsTheKernelsAndALateWaiterIsAWakeup) {
  if (server().port() == 0) GTEST_SKIP() << "needs a server on this machine";
  const auto trace = late_on("host=127.0.0.1");
  EXPECT_GE(trace.spent(Phase::wakeup), LateWaiter::kLate);
  EXPECT_LT(trace.spent(Phase::database), LateWaiter::kLate);
}

TEST(ResultTime, OfARequestWhosePhasesNobodyWantsItIsWhenTheWaiterWasTold) {
  if (server().port() == 0) GTEST_SKIP() << "needs a server on this machine";
  EXPECT_GE(late_on("host=127.0.0.1", false).spent(Phase::database), LateWaiter::kLate);
}

TEST(ResultTime, OnAUnixSocketItIsWhenTheWaiterWasTold) {
  if (server().port() == 0) GTEST_SKIP() << "needs a server on this machine";
  EXPECT_GE(late_on("connect_timeout=10").spent(Phase::database), LateWaiter::kLate);
}

/// Ends while the query runs: by SQL, or as the kernel does it when memory is short.
void expect_lost_when(const std::function<void(int)>& end_backend) {
  BlockingCaller caller;
  Connection victim(std::make_shared<const Dsn>(server().dsn()));
  caller.connect(victim);
  const Statement sleep{"sleep", "SELECT pg_sleep($1)", {kFloat8}};
  Query query(victim, sleep, Params(3600.0));
  // Until the server has it: the activity view says so.
  BlockingCaller other;
  Connection watcher(std::make_shared<const Dsn>(server().dsn()));
  other.connect(watcher);
  const Statement active{
      "active", "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", {kInt8}};
  const int pid = victim.backend_pid();
  while (query.step() == Step::want_read && other.query(watcher, active, Params(std::int64_t{pid}))[0].int64(0) == 0) {
  }
  watcher.close();
  end_backend(pid);
  while (query.step() != Step::done) {
    ASSERT_FALSE(caller.waiter.wait_ready(victim.source(), io::Interest::read, caller.soon()).timed_out);
  }
  EXPECT_EQ(query.error().code, ErrorCode::db_connection_lost) << query.error().message;
  EXPECT_EQ(victim.state(), ConnectionState::broken);
  caller.connect(victim);
  EXPECT_EQ(caller.query(victim, {"one", "SELECT 1::int8", {}})[0].int64(0), 1);
}

TEST(LostBackend, TerminatedUnderItsQuery) {
  expect_lost_when([](int pid) {
    BlockingCaller caller;
    Connection killer(std::make_shared<const Dsn>(server().dsn()));
    caller.connect(killer);
    caller.query(killer, {"kill", "SELECT pg_terminate_backend($1::int4)", {kInt8}}, Params(std::int64_t{pid}));
  });
}

TEST(LostBackend, KilledUnderItsQueryTheServerRestartsAndIsWaitedFor) {
  if (server().directory().empty()) GTEST_SKIP() << "needs a server on this machine";
  expect_lost_when([](int pid) { ASSERT_EQ(kill(pid, SIGKILL), 0); });
}

}  // namespace
}  // namespace parkbench::postgres
