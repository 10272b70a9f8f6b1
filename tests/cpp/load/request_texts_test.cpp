#include "parkbench/load/request_texts.hpp"

#include <gtest/gtest.h>

namespace parkbench::load {
namespace {

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST(RequestTexts, the_products_number_is_put_in) {
  RequestTexts texts({.port = 8080, .target = "/price/{id}", .headers = "X-A: b\r\n"});
  measure::Request request;
  request.product = 7'654'321;
  const std::string_view text = texts.text(request);
  EXPECT_TRUE(text.starts_with("GET /price/7654321 HTTP/1.1\r\n")) << text;
  EXPECT_TRUE(holds(text, "127.0.0.1:8080\r\n")) << text;
  EXPECT_TRUE(holds(text, "X-A: b\r\n")) << text;
  EXPECT_TRUE(text.ends_with("\r\n\r\n")) << text;
  EXPECT_FALSE(holds(text, "Timing"));
}

TEST(RequestTexts, a_timed_request_asks_for_the_phases) {
  RequestTexts texts({.target = "/hello"});
  measure::Request request;
  request.timed = true;
  EXPECT_TRUE(holds(texts.text(request), "X-Parkbench-Timing: 1\r\n"));
}

TEST(RequestTexts, an_ipv6_address_stands_in_brackets) {
  RequestTexts texts({.host = "::1", .port = 80});
  EXPECT_TRUE(holds(texts.text({}), "[::1]:80\r\n"));
}

TEST(RequestTexts, the_slow_share_is_chosen_by_number) {
  RequestTexts texts({.target = "/fast", .slow_target = "/slow", .slow_share = 0.05});
  int slow = 0;
  measure::Request request;
  for (request.number = 0; request.number < 20'000; ++request.number) {
    const bool first = holds(texts.text(request), "/slow");
    EXPECT_EQ(first, holds(texts.text(request), "/slow"));
    slow += first ? 1 : 0;
  }
  EXPECT_NEAR(slow, 1'000, 125);  // 4 sigma
}

}  // namespace
}  // namespace parkbench::load
