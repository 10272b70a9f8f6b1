#include "parkbench/workload/gateway/gateway.hpp"

#include <gtest/gtest.h>

namespace parkbench::workload::gateway {
namespace {

using Verdict = CircuitBreaker::Verdict;

class Filters : public ::testing::Test {
 protected:
  Gateway& make() { return gateway.emplace(options, clock); }
  int status_of(const Inbound& inbound) {
    const auto refused = gateway->filter(inbound, clock.now());
    return refused ? refused->status : 0;
  }
  ManualClock clock{kSecond};
  GatewayOptions options;
  std::optional<Gateway> gateway;
};

TEST_F(Filters, let_a_plain_request_through) {
  make();
  EXPECT_EQ(status_of({}), 0);
}

TEST_F(Filters, deny_who_says_so_himself) {
  const auto refused = make().filter({.denied = true}, clock.now());
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 403);
  EXPECT_EQ(refused->body, "denied");
}

TEST_F(Filters, ask_for_the_token_and_nothing_but_it) {
  options.token = "secret";
  make();
  EXPECT_EQ(status_of({.authorization = "Bearer secret"}), 0);
  for (const char* wrong : {"", "secret", "Bearer secreT", "Bearer secret ", "bearer secret", "Bearer secrets"}) {
    EXPECT_EQ(status_of({.authorization = wrong}), 401) << wrong;
  }
  EXPECT_EQ(status_of({.denied = true}), 403);
}

TEST_F(Filters, limit_the_rate_and_say_when_to_come_again) {
  options.rate_limit = 20;
  make();
  EXPECT_EQ(status_of({}), 0);
  EXPECT_EQ(status_of({}), 0);
  const auto refused = gateway->filter({}, clock.now());
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->headers, "Retry-After: 1\r\n");
  EXPECT_EQ(status_of({.denied = true}), 403) << "who is denied takes no token";
  clock.advance(kSecond);
  EXPECT_EQ(status_of({}), 0);
}

TEST_F(Filters, take_the_prefix_off_and_stamp_the_request) {
  options.downstream = Downstream::http;
  options.port = 81;
  make();
  const Ns before = unix_time() - kSecond;
  const std::string text = gateway->downstream_request({.path = "/gateway/orders/7", .query = "a=b"}, clock.now());
  EXPECT_TRUE(text.starts_with("GET /orders/7?a=b HTTP/1.1\r\nHost: 127.0.0.1:81\r\nX-Request-Start: ")) << text;
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
  const auto at = text.find("Start: ") + 7;
  EXPECT_NEAR(static_cast<double>(std::stoll(text.substr(at))), static_cast<double>(before), 60e9);
  EXPECT_TRUE(gateway->downstream_request({.path = "/gateway"}, clock.now()).starts_with("GET / HTTP/1.1\r\n"));
}

TEST_F(Filters, the_downstream_is_an_address) {
  options.downstream = Downstream::http;
  options.host = "downstream.example";
  EXPECT_THROW(make(), Failure);
}

TEST_F(Filters, the_bulkhead_counts_who_is_at_the_downstream) {
  options.bulkhead = 2;
  make();
  const auto a = gateway->enter(0);
  const auto b = gateway->enter(0);
  EXPECT_EQ(gateway->enter(0).refused, ErrorCode::bulkhead_full);
  gateway->leave(a, Verdict::good, 0);
  EXPECT_EQ(gateway->enter(0).refused, ErrorCode::none);
  gateway->leave(b, Verdict::unknown, 0);
}

TEST_F(Filters, a_request_that_the_breaker_refuses_leaves_the_bulkhead) {
  options.bulkhead = 1;
  options.circuit_breaker = true;
  make();
  for (int i = 0; i < 20; ++i) gateway->leave(gateway->enter(0), Verdict::bad, 0);
  EXPECT_EQ(gateway->enter(0).refused, ErrorCode::circuit_open);
  EXPECT_EQ(gateway->enter(0).refused, ErrorCode::circuit_open);
  EXPECT_EQ(gateway->enter(CircuitBreaker::kOpenFor).refused, ErrorCode::none);
}

TEST(ToldAs, the_requests_own_time_is_told_apart_from_the_downstreams) {
  measure::Request request;
  const Error late{ErrorCode::timeout, "late"};
  EXPECT_EQ(told_as(late, request, 10).code, ErrorCode::downstream_timeout);
  request.deadline = Deadline::at(10);
  EXPECT_EQ(told_as(late, request, 10).code, ErrorCode::timeout);
  EXPECT_EQ(told_as({ErrorCode::connect_timeout, ""}, {}, 10).code, ErrorCode::downstream_timeout);
  EXPECT_EQ(told_as({ErrorCode::pool_timeout, ""}, {}, 10).code, ErrorCode::downstream_timeout);
  const Error refused = told_as({ErrorCode::connect_refused, "nobody"}, {}, 10);
  EXPECT_EQ(refused.code, ErrorCode::downstream_failed);
  EXPECT_EQ(refused.message, "connect_refused: nobody");
  EXPECT_EQ(told_as({ErrorCode::cancelled, ""}, {}, 10).code, ErrorCode::cancelled);
}

TEST(Joined, puts_bodies_below_each_other_and_keeps_the_first_failure) {
  Joined joined;
  joined.add({.status = 200, .body = "a", .content_type = "text/html"});
  joined.add({.status = 503, .body = "b", .content_type = "text/plain"});
  joined.add({.status = 404, .body = "c", .content_type = {}});
  const Passed passed = joined.take();
  EXPECT_EQ(passed.status, 503);
  EXPECT_EQ(passed.body, "a\nb\nc");
  EXPECT_EQ(passed.content_type, "text/html");
}

}  // namespace
}  // namespace parkbench::workload::gateway
