#include "parkbench/base/decimal.hpp"

#include <gtest/gtest.h>

namespace parkbench {
namespace {

std::string decimal(std::int64_t value, std::int64_t unit, int digits) {
  std::string text = "x";
  append_decimal(text, value, unit, digits);
  return text.substr(1);
}

TEST(Decimal, cuts_off_and_keeps_every_digit_that_is_asked_for) {
  EXPECT_EQ(decimal(1'234'567, 1'000'000, 3), "1.234");
  EXPECT_EQ(decimal(1'234'567, 1'000'000, 6), "1.234567");
  EXPECT_EQ(decimal(12, 1'000'000, 6), "0.000012");
  EXPECT_EQ(decimal(0, 1'000, 1), "0.0");
  EXPECT_EQ(decimal(7'000, 1'000, 0), "7");
  EXPECT_EQ(decimal(-1'500, 1'000, 1), "-1.5");
}

TEST(Decimal, reads_what_it_writes) {
  for (const std::int64_t value : {0L, 1L, 999'999L, 1'000'000L, 123'456'789'012L}) {
    EXPECT_EQ(parse_decimal(decimal(value, 1'000'000, 6), 6), value);
  }
  EXPECT_EQ(parse_decimal("7", 3), 7'000);
  EXPECT_EQ(parse_decimal("0.5", 6), 500'000);
  EXPECT_EQ(parse_decimal(".5", 1), 5);
  EXPECT_EQ(parse_decimal("5.", 1), 50);
  EXPECT_EQ(parse_decimal("1.23456", 2), 123);
  EXPECT_EQ(parse_decimal("999999999", 9), 999'999'999'000'000'000);
}

TEST(Decimal, refuses_everything_else) {
  for (const char* text : {"", ".", "-1", "+1", " 1", "1 ", "1e3", "0x1", "1.2.3", "1,5", "1000000000", "nan"}) {
    EXPECT_EQ(parse_decimal(text, 6), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace parkbench
