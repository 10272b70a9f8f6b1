#include "parkbench/postgres/reconnect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "postgres/blocking_caller.hpp"
#include "postgres/test_server.hpp"

namespace parkbench::postgres {
namespace {

using testing::BlockingCaller;
using ::testing::HasSubstr;
using testing::server;

std::shared_ptr<const Dsn> nowhere() { return std::make_shared<const Dsn>(Dsn::parse("host=/nowhere/at/all user=u")); }

TEST(Reconnect, PausesDoubleUpToTheLongestAndDifferBetweenConnections) {
  const Ns full[] = {50, 100, 200, 400, 500, 500, 500};
  for (std::uint32_t attempt = 1; attempt <= 7; ++attempt) {
    std::set<Ns> seen;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Ns pause = Reconnect::pause_after(attempt, seed << 32);
      EXPECT_LE(pause, full[attempt - 1] * kMillisecond);
      EXPECT_GE(pause, full[attempt - 1] * kMillisecond / 2);
      seen.insert(pause);
    }
    EXPECT_GT(seen.size(), 90U);
  }
}

TEST(Reconnect, TriesAgainUntilItGivesUpAndThenSaysWhy) {
  Connection connection(nowhere(), 3);
  ManualClock clock(kSecond);
  Reconnect reconnect(connection, {}, clock.now(), Deadline::never());
  EXPECT_EQ(reconnect.give_up().when(), kSecond + Reconnect::kGiveUpAfter);
  int pauses = 0;
  ReconnectStep step = reconnect.step(clock.now());
  for (; step == ReconnectStep::pause; step = reconnect.step(clock.now())) {
    EXPECT_EQ(reconnect.step(clock.now()), ReconnectStep::pause) << "a pause is not cut short";
    ASSERT_GT(reconnect.pause_until(), clock.now());
    clock.set(reconnect.pause_until());
    ++pauses;
  }
  EXPECT_EQ(step, ReconnectStep::failed);
  EXPECT_EQ(clock.now(), kSecond + Reconnect::kGiveUpAfter);
  EXPECT_GE(pauses, 20);  // 10 s in pauses of at most 500 ms
  EXPECT_EQ(reconnect.error().code, ErrorCode::db_connect);
  EXPECT_THAT(reconnect.error().message, HasSubstr("No such file"));
  EXPECT_EQ(connection.state(), ConnectionState::closed);
}

TEST(Reconnect, TheCallersDeadlineComesFirst) {
  Connection connection(nowhere());
  Reconnect reconnect(connection, {}, 0, Deadline::at(70 * kMillisecond));
  EXPECT_EQ(reconnect.step(0), ReconnectStep::pause);
  EXPECT_LE(reconnect.pause_until(), 70 * kMillisecond);
  EXPECT_EQ(reconnect.step(70 * kMillisecond), ReconnectStep::failed);
  EXPECT_EQ(reconnect.step(71 * kMillisecond), ReconnectStep::failed);
}

TEST(Reconnect, AnAttemptUnderWayOutlivesAnImpatientCaller) {
  BlockingCaller caller;
  Connection connection(std::make_shared<const Dsn>(server().dsn()));
  Reconnect impatient(connection, {}, 0, Deadline::at(5));
  EXPECT_EQ(impatient.step(0), ReconnectStep::want_write);
  EXPECT_EQ(impatient.step(5), ReconnectStep::failed);
  EXPECT_EQ(impatient.error().code, ErrorCode::db_connect);
  ASSERT_EQ(connection.state(), ConnectionState::connecting);
  Reconnect next(connection, {}, 10, Deadline::never());
  ReconnectStep step = next.step(10);
  for (; step == ReconnectStep::want_read || step == ReconnectStep::want_write; step = next.step(10)) {
    const auto interest = step == ReconnectStep::want_read ? io::Interest::read : io::Interest::write;
    caller.waiter.wait_ready(connection.source(), interest, caller.soon());
  }
  EXPECT_EQ(step, ReconnectStep::done);
  EXPECT_EQ(connection.started_at(), 0) << "it was begun once";
}

TEST(Reconnect, AnAttemptThatHangsIsBegunAnewAfterItsTime) {
  Connection connection(std::make_shared<const Dsn>(server().dsn()));
  connection.start(0);
  Reconnect reconnect(connection, {}, Reconnect::kGiveUpAfter, Deadline::never());
  reconnect.step(Reconnect::kGiveUpAfter);
  EXPECT_EQ(connection.started_at(), Reconnect::kGiveUpAfter);
}

TEST(Reconnect, PreparesEveryStatement) {
  BlockingCaller caller;
  Connection connection(std::make_shared<const Dsn>(server().dsn()));
  const std::vector<Statement> statements{{"a", "SELECT 1", {}}, {"b", "SELECT $1 + 1", {kInt8}}};
  ensure_connected(connection, statements, caller.waiter, caller.soon());
  EXPECT_TRUE(connection.is_prepared(statements[0]));
  EXPECT_TRUE(connection.is_prepared(statements[1]));
  const int backend = connection.backend_pid();
  ensure_connected(connection, statements, caller.waiter, caller.soon());
  EXPECT_EQ(connection.backend_pid(), backend) << "a connection that is up stays";
}

TEST(Reconnect, AStatementThatCannotBePreparedIsFinal) {
  BlockingCaller caller;
  Connection connection(std::make_shared<const Dsn>(server().dsn()));
  const std::vector<Statement> statements{{"a", "SELECT 1", {}}, {"b", "SELECT * FROM no_such_table", {}}};
  const Error error =
      testing::failure_of([&] { ensure_connected(connection, statements, caller.waiter, caller.soon()); });
  EXPECT_EQ(error.code, ErrorCode::db_error);
  EXPECT_THAT(error.message, HasSubstr("42P01"));
  EXPECT_EQ(connection.state(), ConnectionState::closed);
}

}  // namespace
}  // namespace parkbench::postgres
