#include "parkbench/postgres/connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postgres/blocking_caller.hpp"
#include "postgres/edge_caller.hpp"
#include "postgres/test_server.hpp"

namespace parkbench::postgres {
namespace {

using ::testing::AllOf;
using testing::BlockingCaller;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::server;

std::shared_ptr<const Dsn> shared(const Dsn& dsn) { return std::make_shared<const Dsn>(dsn.resolved()); }

/// Steps to the end over a poller, each call made twice: a call too early must do no harm.
ConnectStep connect_on_edges(Connection& connection, io::Poller& poller) {
  connection.start(0);
  for (;;) {
    const ConnectStep step = connection.step();
    if (step == ConnectStep::done || step == ConnectStep::failed) return step;
    const auto interest = step == ConnectStep::want_read ? io::Interest::read : io::Interest::write;
    if (!testing::wait_for_edge(connection.source(), interest, poller)) return ConnectStep::failed;
  }
}

TEST(Connection, GoesFromClosedOverConnectingToReadyAndBack) {
  Connection connection(shared(server().dsn()), 7);
  EXPECT_EQ(connection.state(), ConnectionState::closed);
  EXPECT_EQ(connection.number(), 7U);
  connection.start(0);
  EXPECT_EQ(connection.state(), ConnectionState::connecting);
  BlockingCaller caller;
  caller.connect(connection);
  EXPECT_TRUE(connection.ready());
  EXPECT_GT(connection.backend_pid(), 0);
  const Statement who{"who", "SELECT current_setting('application_name')", {}};
  EXPECT_EQ(caller.query(connection, who)[0].text(0), "parkbench");
  connection.close();
  EXPECT_EQ(connection.state(), ConnectionState::closed);
  EXPECT_EQ(connection.backend_pid(), 0);
  connection.close();
}

TEST(Connection, ConnectsOverUnixSocketAndTcpOnEdges) {
  io::Poller poller(SteadyClock::instance());
  std::vector<std::string> ways{"application_name=other"};
  if (server().port() != 0) ways.push_back("host=127.0.0.1");
  if (server().port() != 0) ways.push_back("host=localhost");
  for (const auto& way : ways) {
    Connection connection(shared(server().dsn_with(way)));
    ASSERT_EQ(connect_on_edges(connection, poller), ConnectStep::done) << connection.failure().error.message;
    const Statement two{"two", "SELECT 2::int8", {}};
    Query query(connection, two, Params());
    testing::finish_on_edges(query, poller);
    EXPECT_EQ(query.take_rows()[0].int64(0), 2);
  }
}

TEST(Connection, AStepTooEarlyChangesNothing) {
  if (server().port() == 0) GTEST_SKIP() << "needs a server of its own";
  Connection connection(shared(server().dsn_with("host=127.0.0.1")));
  connection.start(0);
  ConnectStep step = connection.step();
  BlockingCaller caller;
  while (step != ConnectStep::done && step != ConnectStep::failed) {
    step = connection.step();  // without having waited: as often as it takes
  }
  EXPECT_EQ(step, ConnectStep::done) << connection.failure().error.message;
}

TEST(Connection, NobodyThereIsTransientAndNamesTheAddress) {
  io::Poller poller(SteadyClock::instance());
  for (const char* nowhere : {"host=/nowhere/at/all user=bob", "host=127.0.0.1 port=1 user=bob"}) {
    Connection connection(shared(Dsn::parse(nowhere)));
    ASSERT_EQ(connect_on_edges(connection, poller), ConnectStep::failed);
    EXPECT_EQ(connection.state(), ConnectionState::broken);
    EXPECT_TRUE(connection.failure().transient) << connection.failure().error.message;
    EXPECT_EQ(connection.failure().error.code, ErrorCode::db_connect);
    EXPECT_THAT(connection.failure().error.message, AllOf(HasSubstr("user=bob"), Not(HasSubstr("\n"))));
  }
}

TEST(Connection, WrongPasswordUserOrDatabaseIsFinalAndHidesThePassword) {
  if (server().directory().empty()) GTEST_SKIP() << "needs a server with its own pg_hba.conf";
  BlockingCaller caller;
  Connection admin(shared(server().dsn()));
  caller.connect(admin);
  caller.query(admin, {"", "DROP ROLE IF EXISTS locked", {}});
  caller.query(admin, {"", "CREATE ROLE locked LOGIN PASSWORD 'right'", {}});
  io::Poller poller(SteadyClock::instance());
  struct Case {
    const char* options;
    const char* says;
  };
  for (const auto& wrong : {Case{"user=locked password=hunter2", "SQLSTATE 28P01"}, Case{"user=locked", "password"},
                            Case{"user=nobody_at_all password=hunter2", "SQLSTATE 28000"},
                            Case{"dbname=no_such password=hunter2", "SQLSTATE 3D000"}}) {
    Connection connection(shared(server().dsn_with(wrong.options)));
    ASSERT_EQ(connect_on_edges(connection, poller), ConnectStep::failed) << wrong.options;
    const ConnectFailure& failure = connection.failure();
    EXPECT_FALSE(failure.transient) << failure.error.message;
    EXPECT_EQ(failure.error.code, ErrorCode::db_connect);
    EXPECT_THAT(failure.error.message, AllOf(HasSubstr(wrong.says), Not(HasSubstr("hunter2")), Not(HasSubstr("\n")),
                                             Not(HasSubstr("LOCATION"))));
  }
  Connection right(shared(server().dsn_with("user=locked password=right")));
  EXPECT_EQ(connect_on_edges(right, poller), ConnectStep::done) << right.failure().error.message;
}

TEST(Connection, SeesThatTheServerHungUpWhileItLayIdle) {
  BlockingCaller caller;
  Connection idle(shared(server().dsn()));
  Connection killer(shared(server().dsn()));
  caller.connect(idle);
  caller.connect(killer);
  EXPECT_TRUE(idle.looks_alive());
  const Statement kill{"kill", "SELECT pg_terminate_backend($1::int4, 10000)", {kInt8}};
  caller.query(killer, kill, Params(std::int64_t{idle.backend_pid()}));
  EXPECT_FALSE(idle.looks_alive());
  EXPECT_EQ(idle.state(), ConnectionState::broken);
  caller.connect(idle);
  EXPECT_TRUE(idle.looks_alive());
}

TEST(Connection, ANoticeDoesNotMakeItLookDead) {
  BlockingCaller caller;
  Connection connection(shared(server().dsn()));
  caller.connect(connection);
  caller.query(connection, {"", "DROP TABLE IF EXISTS no_such_table", {}});
  caller.query(connection, {"", "SET application_name = 'renamed'", {}});
  EXPECT_TRUE(connection.looks_alive());
}

TEST(Connection, KnowsAnOpenTransaction) {
  BlockingCaller caller;
  Connection connection(shared(server().dsn()));
  EXPECT_FALSE(connection.transaction_open());
  caller.connect(connection);
  EXPECT_FALSE(connection.transaction_open());
  caller.query(connection, {"begin", "BEGIN", {}});
  EXPECT_TRUE(connection.transaction_open());
  testing::failure_of([&] { caller.query(connection, {"", "SELECT 1/0", {}}); });
  EXPECT_TRUE(connection.transaction_open()) << "a failed transaction is open too";
  caller.query(connection, {"rollback", "ROLLBACK", {}});
  EXPECT_FALSE(connection.transaction_open());
}

}  // namespace
}  // namespace parkbench::postgres
