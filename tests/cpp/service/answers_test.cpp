#include "parkbench/service/answers.hpp"

#include <gtest/gtest.h>

namespace parkbench::service {
namespace {

using measure::Phase;

TEST(Answers, are_these_bytes) {
  EXPECT_EQ(hello_answer().body, "Hello, World!");
  EXPECT_EQ(hello_answer().body.size(), 13U);
  EXPECT_EQ(price_answer({1, 1'234, 500, 1'172}).body,
            "{\"product\":1,\"price\":1234,\"discount\":500,\"final_price\":1172}");
  EXPECT_EQ(price_answer({}).content_type, "application/json");
  EXPECT_EQ(stream_head().content_type, "text/event-stream");
  EXPECT_EQ(file_answer(65'536).body, "read 65536");
  const auto passed = passed_answer({.status = 429, .body = "slow down", .headers = "Retry-After: 1\r\n"});
  EXPECT_EQ(passed.status, 429);
  EXPECT_EQ(passed.body, "slow down");
  EXPECT_EQ(passed.headers, "Retry-After: 1\r\n");
}

TEST(Answers, the_gateway_sees_path_query_and_what_its_filters_ask_for) {
  http::Request request;
  request.path = "/gateway/orders";
  request.query = "a=1";
  request.headers = "Host: h\r\nauthorization: Bearer x\r\nX-Deny: 1\r\n";
  const auto seen = inbound(request);
  EXPECT_EQ(seen.path, "/gateway/orders");
  EXPECT_EQ(seen.query, "a=1");
  EXPECT_EQ(seen.authorization, "Bearer x");
  EXPECT_TRUE(seen.denied);
  request.headers = {};
  EXPECT_FALSE(inbound(request).denied);
}

TEST(Answers, the_account_is_opened_and_closed_with_the_handler) {
  http::Request request;
  measure::Request account;
  account.accepted = 100;
  EXPECT_TRUE(begin({request, account}, 130));
  http::Response response;
  finish({request, account}, 175, response, false);
  EXPECT_EQ(account.trace.spent(Phase::queue), 30);
  EXPECT_EQ(account.trace.spent(Phase::cpu), 45);
  EXPECT_EQ(account.answer_ready, 175);
  EXPECT_EQ(response.headers, "") << "nobody has asked";
  EXPECT_FALSE(account.trace.sampled());
  account.deadline = Deadline::at(150);
  EXPECT_FALSE(begin({request, account}, 150)) << "too late to begin";
}

TEST(Answers, who_asks_gets_the_phases_unless_the_answer_is_a_stream) {
  http::Request request;
  request.headers = "X-Parkbench-Timing: 1\r\n";
  measure::Request account;
  begin({request, account}, 5);
  EXPECT_TRUE(account.trace.sampled());
  http::Response response;
  finish({request, account}, 1'000'000, response, false);
  EXPECT_TRUE(response.headers.starts_with("Server-Timing: queue;dur=0.000005, ")) << response.headers;
  EXPECT_TRUE(response.headers.ends_with("total;dur=1.000000\r\n")) << response.headers;
  http::Response stream;
  finish({request, account}, 1'000'000, stream, true);
  EXPECT_EQ(stream.headers, "");
}

}  // namespace
}  // namespace parkbench::service
