#include "parkbench/load/answer_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace parkbench::load {
namespace {

using measure::Outcome;
using measure::Phase;

/// A session that has read this answer.
http::ClientSession session_with(const std::string& answer, bool keep_body = true) {
  http::ClientSession session;
  session.keep_body(keep_body);
  session.start("GET / HTTP/1.1\r\n\r\n");
  session.written(session.pending().size());
  for (std::string_view rest = answer; !rest.empty();) {
    const auto space = session.space();
    const std::size_t n = std::min(rest.size(), space.size());
    std::copy_n(rest.begin(), n, space.begin());
    session.received(n);
    rest.remove_prefix(n);
  }
  return session;
}

std::string answer(int status, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

measure::Request checked(const HttpPlan& plan, const std::string& text) {
  measure::Request request;
  check_answer(plan, session_with(text, plan.keeps_body()), request);
  return request;
}

TEST(AnswerCheck, a_status_has_its_cause) {
  const HttpPlan plan;
  EXPECT_EQ(checked(plan, answer(200, "x")).outcome, Outcome::ok);
  EXPECT_EQ(checked(plan, answer(503, "")).outcome, Outcome::rejected);
  EXPECT_EQ(checked(plan, answer(503, "")).error, ErrorCode::rejected);
  EXPECT_EQ(checked(plan, answer(504, "")).error, ErrorCode::status_5xx);
  EXPECT_EQ(checked(plan, answer(404, "")).error, ErrorCode::status_4xx);
  EXPECT_EQ(checked(plan, answer(302, "")).error, ErrorCode::status_3xx);
  EXPECT_EQ(checked(plan, answer(404, "")).outcome, Outcome::failed);
}

TEST(AnswerCheck, a_5xx_has_the_cause_that_our_own_server_names) {
  const HttpPlan plan;
  const auto named = [&](const std::string& status, const std::string& cause) {
    return checked(plan, "HTTP/1.1 " + status + " X\r\nX-Parkbench-Cause: " + cause + "\r\nContent-Length: 0\r\n\r\n");
  };
  EXPECT_EQ(named("500", "out_of_memory").error, ErrorCode::out_of_memory);
  EXPECT_EQ(named("504", "pool_timeout").error, ErrorCode::pool_timeout);
  EXPECT_EQ(named("500", "out_of_memory").outcome, Outcome::failed);
  EXPECT_EQ(named("500", "nonsense").error, ErrorCode::status_5xx);
  EXPECT_EQ(named("504", "timeout").outcome, Outcome::failed) << "the server's time-out is none of the generator's";
  EXPECT_EQ(named("503", "bulkhead_full").error, ErrorCode::rejected);
  EXPECT_EQ(named("404", "out_of_memory").error, ErrorCode::status_4xx);
}

TEST(AnswerCheck, says_whether_the_answer_was_looked_at) {
  EXPECT_FALSE(checked({}, answer(200, "x")).checked);
  const HttpPlan text{.check = HttpPlan::Check::text, .text = "x"};
  EXPECT_TRUE(checked(text, answer(200, "x")).checked);
  EXPECT_TRUE(checked(text, answer(200, "y")).checked);
  EXPECT_FALSE(checked(text, answer(404, "x")).checked) << "no answer to compare";
}

TEST(AnswerCheck, a_body_that_is_not_as_asked_is_a_wrong_answer) {
  const HttpPlan text{.check = HttpPlan::Check::text, .text = "Hello, World!"};
  EXPECT_EQ(checked(text, answer(200, "Hello, World!")).outcome, Outcome::ok);
  EXPECT_EQ(checked(text, answer(200, "Hello, World?")).error, ErrorCode::wrong_answer);
  const HttpPlan length{.check = HttpPlan::Check::length, .length = 4};
  EXPECT_EQ(checked(length, answer(200, "abcd")).outcome, Outcome::ok);
  EXPECT_EQ(checked(length, answer(200, "abc")).error, ErrorCode::wrong_answer);
}

TEST(AnswerCheck, a_price_becomes_the_answer) {
  const HttpPlan plan{.check = HttpPlan::Check::price};
  const auto priced = checked(plan, answer(200, R"({"product":1,"price":1234,"discount":500,"final_price":1172})"));
  EXPECT_EQ(priced.outcome, Outcome::ok);
  EXPECT_EQ(priced.answer, 1'172);
  for (const char* body : {"", "{}", R"({"final_price":})", R"({"final_price":"12"})", R"({"final_price":12.5})",
                           R"({"final_price":12)", R"({"final_price":99999999999999999999})"}) {
    EXPECT_EQ(checked(plan, answer(200, body)).error, ErrorCode::wrong_answer) << body;
  }
}

TEST(AnswerCheck, what_the_client_saw_beyond_the_server_is_network) {
  measure::Request request;
  request.sent = 1'000'000;
  request.answer_ready = 4'000'000;
  take_server_timing("queue;dur=0.5, app_wait;dur=1.25, total;dur=2", request);
  EXPECT_TRUE(request.timed);
  EXPECT_EQ(request.trace.spent(Phase::queue), 500'000);
  EXPECT_EQ(request.trace.spent(Phase::app_wait), 1'250'000);
  EXPECT_EQ(request.trace.spent(Phase::network), 1'000'000);
}

TEST(AnswerCheck, without_a_readable_header_nothing_is_known) {
  for (const char* header : {"", "queue;dur=0.5", "total;dur=x"}) {
    measure::Request request;
    request.timed = true;
    request.answer_ready = 5;
    take_server_timing(header, request);
    EXPECT_FALSE(request.timed) << header;
    EXPECT_EQ(request.trace.spent(Phase::network), 0) << header;
  }
}

}  // namespace
}  // namespace parkbench::load
