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

}  // namespace
}  // namespace parkbench
