#include "parkbench/service/handle_reactive.hpp"

#include <numeric>

#include "service/handlers.hpp"
#include "workload/pricing_database.hpp"

namespace parkbench::service::testing {
namespace {

using Kind = Route::Kind;
using measure::Phase;

void expect_equal_answers(Handled& h, const Route& route) {
  SCOPED_TRACE(to_string(route.kind));
  const http::Response expected = h.blocking(route);
  const measure::Request account = h.account;
  const std::string rows = h.rows;
  const http::Response response = h.reactive(route);
  EXPECT_EQ(response.status, expected.status);
  EXPECT_EQ(response.content_type, expected.content_type);
  EXPECT_EQ(response.body, expected.body);
  EXPECT_EQ(response.headers, expected.headers);
  EXPECT_EQ(h.rows, rows);
  EXPECT_EQ(h.account.outcome, account.outcome);
  EXPECT_EQ(h.account.error, account.error);
  EXPECT_EQ(h.account.answer, account.answer);
}

TEST(HandleReactive, answers_as_the_blocking_handler_does) {
  Handled h;
  for (const Kind kind : {Kind::hello, Kind::price, Kind::sleep, Kind::cpu, Kind::file, Kind::stream}) {
    expect_equal_answers(h, {.kind = kind, .product = 1, .length = 1'000, .rows = 3});
  }
  h.deadline = Deadline::at(0);
  expect_equal_answers(h, {});
}

TEST(HandleReactive, reads_the_same_prices) {
  Handled h(workload::testing::pricing_options());
  for (const std::uint32_t product : {1U, 2U, workload::testing::kProducts, workload::testing::kProducts + 1}) {
    expect_equal_answers(h, {.kind = Kind::price, .product = product});
  }
}

TEST(HandleReactive, accounts_for_each_nanosecond_and_sends_it_when_asked) {
  Handled h;
  h.http.headers = "X-Parkbench-Timing: 1\r\n";
  const auto response = h.reactive({.kind = Kind::sleep, .length = kMillisecond});
  EXPECT_TRUE(response.headers.starts_with("Server-Timing: ")) << response.headers;
  EXPECT_EQ(h.account.trace.spent(Phase::app_wait), kMillisecond);
  const auto& phases = h.account.trace.all();
  EXPECT_EQ(std::accumulate(phases.begin(), phases.end(), Ns{0}), h.account.answer_ready - h.account.accepted);
}

}  // namespace
}  // namespace parkbench::service::testing
