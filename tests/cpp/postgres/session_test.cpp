#include "parkbench/postgres/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postgres/blocking_caller.hpp"
#include "postgres/test_server.hpp"

namespace parkbench::postgres {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::failure_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::server;

class SessionTest : public ::testing::Test {
 protected:
  Session session_{server().dsn()};
};

TEST_F(SessionTest, GivesTheRowsOfTheLastStatementAsText) {
  EXPECT_THAT(session_.execute("SELECT 1; SELECT n, NULL, '' FROM generate_series(1, 2) AS n"),
              ElementsAre(TextRow{"1", std::nullopt, ""}, TextRow{"2", std::nullopt, ""}));
  EXPECT_THAT(session_.execute("SELECT 1; SET TIME ZONE 'UTC'"), IsEmpty());
  EXPECT_THAT(session_.execute(""), IsEmpty());
}

TEST_F(SessionTest, AnErrorHasItsSqlstateAndTheSessionGoesOn) {
  const Error error = failure_of([&] { session_.execute("SELECT * FROM no_such_table"); });
  EXPECT_EQ(error.code, ErrorCode::db_error);
  EXPECT_THAT(error.message, HasSubstr("SQLSTATE 42P01: relation \"no_such_table\" does not exist"));
  EXPECT_EQ(sqlstate_of(error.message), "42P01");
  EXPECT_THAT(session_.execute("SELECT 1"), ElementsAre(TextRow{"1"}));
}

TEST_F(SessionTest, CopiesDataInAndCounts) {
  session_.execute("CREATE TEMPORARY TABLE goods (id bigint, name text)");
  std::string data;
  constexpr int kRows = 100'000;  // 2.5 MB: more than the socket takes at once
  for (int i = 0; i < kRows; ++i) data += std::to_string(i) + "\tname of the product\n";
  EXPECT_EQ(session_.copy_in("COPY goods FROM STDIN", data), kRows);
  EXPECT_EQ(session_.copy_in("COPY goods FROM STDIN", ""), 0);
  EXPECT_THAT(session_.execute("SELECT count(*), sum(id) FROM goods"), ElementsAre(TextRow{"100000", "4999950000"}));
}

TEST_F(SessionTest, ABrokenCopyIsAnErrorAndTheSessionGoesOn) {
  session_.execute("CREATE TEMPORARY TABLE goods (id bigint)");
  const Error error = failure_of([&] { session_.copy_in("COPY goods FROM STDIN", "1\nno number\n"); });
  EXPECT_EQ(error.code, ErrorCode::db_error);
  EXPECT_THAT(error.message, HasSubstr("SQLSTATE 22P02"));
  EXPECT_EQ(failure_of([&] { session_.copy_in("SELECT 1", "1\n"); }).code, ErrorCode::db_error);
  EXPECT_EQ(failure_of([&] { session_.execute("COPY goods FROM STDIN"); }).code, ErrorCode::db_error);
  EXPECT_THAT(session_.execute("SELECT count(*) FROM goods"), ElementsAre(TextRow{"0"}));
}

TEST_F(SessionTest, ClosedItRefusesButDoesNotCrash) {
  session_.close();
  session_.close();
  EXPECT_EQ(failure_of([&] { session_.execute("SELECT 1"); }).code, ErrorCode::db_connection_lost);
  EXPECT_EQ(failure_of([&] { session_.copy_in("COPY x FROM STDIN", ""); }).code, ErrorCode::db_connection_lost);
}

TEST_F(SessionTest, TheServerGoingAwayIsALostConnection) {
  const Error error = failure_of([&] { session_.execute("SELECT pg_terminate_backend(pg_backend_pid())"); });
  EXPECT_EQ(error.code, ErrorCode::db_connection_lost) << error.message;
  EXPECT_EQ(failure_of([&] { session_.execute("SELECT 1"); }).code, ErrorCode::db_connection_lost);
}

TEST(Session, WhatTheCheckThrowsEndsTheWait) {
  int calls = 0;
  Session session(server().dsn(), Session::kConnectWithin, [&] {
    if (++calls >= 20) throw std::runtime_error("interrupted");
  });
  EXPECT_THROW(session.execute("SELECT pg_sleep(3600)"), std::runtime_error);
  EXPECT_EQ(failure_of([&] { session.execute("SELECT 1"); }).code, ErrorCode::db_connection_lost);
}

TEST(Session, ARefusalToConnectIsToldAtOnceWithoutThePassword) {
  for (const Dsn& dsn :
       {Dsn::parse("host=/nowhere/at/all password=hunter2"), Dsn::parse("postgresql://bob:hunter2@127.0.0.1:1/d"),
        server().dsn_with("dbname=no_such password=hunter2")}) {
    const Error error = failure_of([&] { Session session(dsn, 3600 * kSecond); });
    EXPECT_EQ(error.code, ErrorCode::db_connect);
    EXPECT_THAT(error.message, AllOf(HasSubstr("host="), Not(HasSubstr("hunter2")), Not(HasSubstr("\n"))));
  }
}

TEST(Session, AServerThatTakesTheConnectionAndSaysNothingIsGivenUp) {
  const UniqueFd mute(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(mute.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(mute.get(), 1), 0);
  ASSERT_EQ(getsockname(mute.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  const Dsn dsn = Dsn::parse("host=127.0.0.1 port=" + std::to_string(ntohs(address.sin_port)));
  const Error error = failure_of([&] { Session session(dsn, 100 * kMillisecond); });
  EXPECT_EQ(error.code, ErrorCode::db_connect);
  EXPECT_THAT(error.message, HasSubstr("no answer in time"));
}

}  // namespace
}  // namespace parkbench::postgres
