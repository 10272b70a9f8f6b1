#include "parkbench/postgres/query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "postgres/blocking_caller.hpp"
#include "postgres/edge_caller.hpp"
#include "postgres/test_server.hpp"

namespace parkbench::postgres {
namespace {

using testing::BlockingCaller;
using testing::failure_of;
using ::testing::HasSubstr;

class QueryTest : public ::testing::Test {
 protected:
  QueryTest() { caller_.connect(connection_); }

  BlockingCaller caller_;
  Connection connection_{std::make_shared<const Dsn>(testing::server().dsn())};
};

TEST_F(QueryTest, BinaryValuesMakeTheRoundTrip) {
  const Statement echo{
      "echo",
      "SELECT $1, $2, $1::int8 % 1000, 'K\u00e4se'::text, (-7)::int4, (-3)::int2, NULL::int8, 'v'::varchar",
      {kInt8, kFloat8}};
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    const Rows rows = caller_.query(connection_, echo, Params(number, -0.125));
    ASSERT_EQ(rows.size(), 1);
    ASSERT_EQ(rows.columns(), 8);
    EXPECT_EQ(rows[0].int64(0), number);
    EXPECT_EQ(rows[0].float8(1), -0.125);
    EXPECT_EQ(rows[0].int64(2), number % 1000);
    EXPECT_EQ(rows[0].text(3), "K\u00e4se");
    EXPECT_EQ(rows[0].int32(4), -7);
    EXPECT_EQ(rows[0].int64(4), -7);
    EXPECT_EQ(rows[0].int32(5), -3);
    EXPECT_TRUE(rows[0].is_null(6));
    EXPECT_EQ(rows[0].text(7), "v");
  }
}

TEST_F(QueryTest, AColumnReadAsAnotherTypeIsRefused) {
  const Statement one{"one", "SELECT 1::int8 AS price, NULL::int8 AS nothing", {}};
  const Rows rows = caller_.query(connection_, one);
  for (const auto& misread : {failure_of([&] { (void)rows[0].int32(0); }), failure_of([&] { (void)rows[0].text(0); }),
                              failure_of([&] { (void)rows[0].float8(0); })}) {
    EXPECT_EQ(misread.code, ErrorCode::internal);
    EXPECT_THAT(misread.message, HasSubstr("price"));
  }
  EXPECT_THAT(failure_of([&] { (void)rows[0].int64(1); }).message, HasSubstr("nothing is null"));
  EXPECT_EQ(failure_of([&] { (void)rows[0].int64(2); }).code, ErrorCode::internal);
}

TEST_F(QueryTest, AnAnswerLargerThanTheSocketBufferIsDrainedBetweenEdges) {
  // Readiness is told once per arrival: a step that leaves bytes in the socket would wait for ever.
  const Statement many{"many", "SELECT repeat('x', 1000) FROM generate_series(1, $1)", {kInt8}};
  io::Poller poller(caller_.clock);
  Query query(connection_, many, Params(std::int64_t{20'000}));
  testing::finish_on_edges(query, poller);
  ASSERT_FALSE(query.failed()) << query.error().message;
  const Rows rows = query.take_rows();
  ASSERT_EQ(rows.size(), 20'000);
  EXPECT_EQ(rows[19'999].text(0).size(), 1000U);
  connection_.close();  // before the poller that it is registered with
}

TEST_F(QueryTest, AnErrorHasItsSqlstateAndTheConnectionStaysUsable) {
  const Statement divide{"divide", "SELECT 10 / $1", {kInt8}};
  for (int i = 0; i < 3; ++i) {
    const Error error = failure_of([&] { caller_.query(connection_, divide, Params(std::int64_t{0})); });
    EXPECT_EQ(error.code, ErrorCode::db_error);
    EXPECT_EQ(error.message, "SQLSTATE 22012: division by zero");
    EXPECT_EQ(caller_.query(connection_, divide, Params(std::int64_t{2}))[0].int64(0), 5);
  }
}

TEST_F(QueryTest, AStatementThatCannotBePreparedIsADatabaseErrorEachTime) {
  const Statement wrong{"wrong", "SELECT price FROM no_such_table", {}};
  for (int i = 0; i < 2; ++i) {
    const Error error = failure_of([&] { caller_.query(connection_, wrong); });
    EXPECT_EQ(error.code, ErrorCode::db_error);
    EXPECT_THAT(error.message, HasSubstr("SQLSTATE 42P01"));
  }
  EXPECT_FALSE(connection_.is_prepared(wrong));
  EXPECT_TRUE(connection_.ready());
}

TEST_F(QueryTest, IsPreparedOncePerConnection) {
  const Statement count{"count", "SELECT count(*) FROM pg_prepared_statements WHERE name = 'count'", {}};
  EXPECT_FALSE(connection_.is_prepared(count));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(caller_.query(connection_, count)[0].int64(0), 1);
  EXPECT_TRUE(connection_.is_prepared(count));
}

TEST_F(QueryTest, ACopyBreaksTheConnectionInsteadOfHangingIt) {
  const Error error = failure_of([&] { caller_.query(connection_, {"copy", "COPY pg_class TO STDOUT", {}}); });
  EXPECT_EQ(error.code, ErrorCode::db_error);
  EXPECT_FALSE(connection_.ready());
}

TEST_F(QueryTest, OnAConnectionThatIsNotOpenItIsOverAtOnce) {
  connection_.close();
  const Statement one{"one", "SELECT 1", {}};
  Query query(connection_, one, Params());
  EXPECT_EQ(query.step(), Step::done);
  EXPECT_EQ(query.error().code, ErrorCode::db_connection_lost);
}

TEST_F(QueryTest, StepNeverWaits) {
  const Statement sleep{"sleep", "SELECT pg_sleep($1)", {kFloat8}};
  Query query(connection_, sleep, Params(3600.0));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(query.step(), Step::want_read);
  query.abandon();
  EXPECT_EQ(connection_.state(), ConnectionState::broken);
}

}  // namespace
}  // namespace parkbench::postgres
