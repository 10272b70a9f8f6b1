#include "parkbench/postgres/query_mono.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "postgres/blocking_caller.hpp"
#include "postgres/loop_caller.hpp"
#include "postgres/test_server.hpp"

namespace parkbench::postgres {
namespace {

using measure::Phase;
using ::testing::HasSubstr;
using testing::server;

class QueryMonoTest : public ::testing::Test {
 protected:
  QueryMonoTest() { ensure_connected(connection_, statements_, blocking_.waiter, blocking_.soon()); }
  ~QueryMonoTest() override {
    caller_.on_loop([&] { connection_.close(); });  // before the poller it is registered with
  }

  auto run(int statement, const Params& params = {}, Deadline deadline = Deadline::never()) {
    return caller_.subscribe([&] {
      return query_mono(connection_, statements_[static_cast<std::size_t>(statement)], params, caller_.loop, deadline,
                        caller_.trace);
    });
  }

  const std::vector<Statement> statements_{{"twice", "SELECT 2 * $1", {kInt8}},
                                           {"divide", "SELECT 1 / $1", {kInt8}},
                                           {"sleep", "SELECT pg_sleep($1)", {kFloat8}},
                                           {"many", "SELECT repeat('x', 1000) FROM generate_series(1, $1)", {kInt8}}};
  testing::BlockingCaller blocking_;
  Connection connection_{std::make_shared<const Dsn>(server().dsn())};
  testing::LoopCaller caller_;
};

TEST_F(QueryMonoTest, GivesTheRowsAndAllTimeIsInAPhase) {
  const Ns before = caller_.loop.clock().now();
  EXPECT_EQ(run(0, Params(std::int64_t{21}))->value()[0].int64(0), 42);
  const measure::PhaseTrace trace = caller_.on_loop([&] {
    caller_.trace.end(caller_.loop.clock().now());
    return caller_.trace;
  });
  EXPECT_GT(trace.spent(Phase::database), 0);
  EXPECT_GE(trace.spent(Phase::wakeup), 0);
  const Ns sum = trace.spent(Phase::database) + trace.spent(Phase::wakeup) + trace.spent(Phase::cpu);
  EXPECT_LE(sum, caller_.loop.clock().now() - before);
  EXPECT_EQ(trace.spent(Phase::connection), 0);
  EXPECT_EQ(caller_.waiting(io::WaitReason::io), 0);
}

TEST_F(QueryMonoTest, NothingIsSentBeforeTheSubscription) {
  caller_.on_loop([&] {
    const auto mono = query_mono(connection_, statements_[0], Params(std::int64_t{1}), caller_.loop, Deadline::never(),
                                 caller_.trace);
  });
  EXPECT_EQ(run(0, Params(std::int64_t{4}))->value()[0].int64(0), 8);
}

TEST_F(QueryMonoTest, AnAnswerOfManyPiecesComesWhole) {
  EXPECT_EQ(run(3, Params(std::int64_t{20'000}))->value().size(), 20'000);
}

TEST_F(QueryMonoTest, AnErrorHasItsSqlstateAndTheConnectionStaysUsable) {
  const Error error = run(1, Params(std::int64_t{0}))->error();
  EXPECT_EQ(error.code, ErrorCode::db_error);
  EXPECT_THAT(error.message, HasSubstr("SQLSTATE 22012"));
  EXPECT_EQ(run(1, Params(std::int64_t{1}))->value()[0].int64(0), 1);
}

TEST_F(QueryMonoTest, PastItsDeadlineTheConnectionIsBroken) {
  const auto outcome = caller_.subscribe([&] {
    // Counted from the loop's thread, so that it does not pass before the statement is sent.
    return query_mono(connection_, statements_[2], Params(3600.0), caller_.loop, caller_.within(200 * kMillisecond),
                      caller_.trace);
  });
  EXPECT_EQ(outcome->error().code, ErrorCode::timeout);
  EXPECT_EQ(connection_.state(), ConnectionState::broken);
  EXPECT_EQ(caller_.waiting(io::WaitReason::io), 0);
}

TEST_F(QueryMonoTest, ADeadlineThatPassedBeforeTheSendCostsNoConnection) {
  EXPECT_EQ(run(0, Params(std::int64_t{1}), Deadline::at(1))->error().code, ErrorCode::timeout);
  EXPECT_TRUE(connection_.ready());
}

TEST_F(QueryMonoTest, CancelledItBreaksTheConnectionAndSaysNothing) {
  const auto outcome = run(2, Params(3600.0));
  EXPECT_EQ(caller_.waiting(io::WaitReason::io), 1);
  caller_.cancel(outcome->handle);
  EXPECT_EQ(connection_.state(), ConnectionState::broken);
  EXPECT_EQ(caller_.waiting(io::WaitReason::io), 0);
  EXPECT_FALSE(outcome->over());
}

TEST_F(QueryMonoTest, OnTcpALoopThatIsHeldIsAWakeup) {
  if (server().port() == 0) GTEST_SKIP() << "needs a server on this machine";
  constexpr Ns kHeld = 20 * kMillisecond;
  Connection tcp(std::make_shared<const Dsn>(server().dsn_with("host=127.0.0.1")));
  ensure_connected(tcp, statements_, blocking_.waiter, blocking_.soon());
  for (int i = 0; i < 50; ++i) blocking_.query(tcp, statements_[0], Params(std::int64_t{1}));
  std::promise<std::int64_t> answer;
  const auto handle = caller_.on_loop([&] {
    const Clock& clock = caller_.loop.clock();
    caller_.trace.begin(Phase::cpu, clock.now());
    auto subscribed =
        query_mono(tcp, statements_[0], Params(std::int64_t{21}), caller_.loop, Deadline::never(), caller_.trace)
            .subscribe([&](Rows&& rows) { answer.set_value(rows[0].int64(0)); },
                       [&](const Error&) { answer.set_value(-1); });
    pollfd there{tcp.source().fd(), POLLIN, 0};
    EXPECT_EQ(poll(&there, 1, 20'000), 1);
    for (const Ns free = clock.now() + kHeld; clock.now() < free;) {
    }
    return subscribed;
  });
  EXPECT_EQ(answer.get_future().get(), 42);
  const auto trace = caller_.on_loop([&] { return caller_.trace; });
  EXPECT_GE(trace.spent(Phase::wakeup), kHeld);
  EXPECT_LT(trace.spent(Phase::database), kHeld);
  caller_.on_loop([&] { tcp.close(); });
}

TEST_F(QueryMonoTest, ABackendKilledUnderItIsALostConnection) {
  const auto outcome = run(2, Params(3600.0));
  Connection killer(std::make_shared<const Dsn>(server().dsn()));
  blocking_.connect(killer);
  blocking_.query(killer, {"kill", "SELECT pg_terminate_backend($1::int4)", {kInt8}},
                  Params(std::int64_t{connection_.backend_pid()}));
  EXPECT_EQ(outcome->error().code, ErrorCode::db_connection_lost);
}

}  // namespace
}  // namespace parkbench::postgres
