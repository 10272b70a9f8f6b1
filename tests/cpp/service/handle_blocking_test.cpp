#include "parkbench/service/handle_blocking.hpp"

#include <numeric>

#include "service/handlers.hpp"
#include "workload/pricing_database.hpp"

namespace parkbench::service::testing {
namespace {

using Kind = Route::Kind;
using measure::Outcome;
using measure::Phase;

TEST(HandleBlocking, answers_and_accounts_for_each_nanosecond) {
  Handled h;
  EXPECT_EQ(h.blocking({.kind = Kind::sleep, .length = kMillisecond}).body, "slept");
  EXPECT_EQ(h.account.outcome, Outcome::ok);
  EXPECT_EQ(h.account.trace.spent(Phase::app_wait), kMillisecond);
  const auto& phases = h.account.trace.all();
  EXPECT_EQ(std::accumulate(phases.begin(), phases.end(), Ns{0}), h.account.answer_ready - h.account.accepted);
}

TEST(HandleBlocking, makes_an_answer_of_every_error) {
  Handled h;
  EXPECT_EQ(h.blocking({.kind = Kind::price, .product = 1}).status, 404);
  EXPECT_EQ(h.account.error, ErrorCode::not_found);
  EXPECT_EQ(h.blocking({.kind = Kind::file}).status, 404);
  h.deadline = Deadline::at(0);
  EXPECT_EQ(h.blocking({}).status, 504);
  EXPECT_EQ(h.account.outcome, Outcome::timed_out);
}

TEST(HandleBlocking, reads_a_price) {
  Handled h(workload::testing::pricing_options());
  const auto response = h.blocking({.kind = Kind::price, .product = 3});
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(h.account.answer, workload::testing::expected_price(3));
  EXPECT_GT(h.account.trace.spent(Phase::database), 0);
  EXPECT_EQ(h.blocking({.kind = Kind::price, .product = workload::testing::kProducts + 1}).status, 404);
}

TEST(HandleBlocking, gives_the_rows_of_a_stream_one_by_one) {
  Handled h;
  h.blocking({.kind = Kind::stream, .rows = 2});
  EXPECT_TRUE(h.rows.starts_with("id: 1\n"));
  EXPECT_NE(h.rows.find("id: 2\n"), std::string::npos);
}

}  // namespace
}  // namespace parkbench::service::testing
