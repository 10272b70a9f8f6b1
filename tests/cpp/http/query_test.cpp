#include "parkbench/http/query.hpp"

#include <gtest/gtest.h>

namespace parkbench::http {
namespace {

TEST(Query, gives_a_parameter_by_its_whole_name) {
  EXPECT_EQ(parameter("ms=5&x=1", "ms"), "5");
  EXPECT_EQ(parameter("ms=5&x=1=2", "x"), "1=2");
  EXPECT_EQ(parameter("a&b=", "a"), "");
  EXPECT_EQ(parameter("a&b=", "b"), "");
  EXPECT_FALSE(parameter("ms=5", "m"));
  EXPECT_FALSE(parameter("ms=5", "x"));
  EXPECT_FALSE(parameter("", "ms"));
  EXPECT_EQ(parameter("&&ms=5&", "ms"), "5");
}

TEST(Query, gives_none_that_is_there_twice) {
  EXPECT_FALSE(parameter("ms=5&ms=5", "ms"));
  EXPECT_FALSE(parameter("ms&ms=5", "ms"));
}

TEST(WholeNumber, is_digits_and_nothing_else) {
  EXPECT_EQ(whole_number("0", 10), 0);
  EXPECT_EQ(whole_number("007", 10), 7);
  EXPECT_EQ(whole_number("10", 10), 10);
  EXPECT_FALSE(whole_number("11", 10));
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "1e3", "1.0", "0x1", "abc", "1;", "9223372036854775808",
                          "99999999999999999999", "%31"}) {
    EXPECT_FALSE(whole_number(bad, 1'000'000'000'000'000'000)) << bad;
  }
}

TEST(DecimalNumber, has_digits_on_both_sides_of_its_point) {
  EXPECT_EQ(decimal_number("12", 100), 12.0);
  EXPECT_EQ(decimal_number("0.5", 100), 0.5);
  EXPECT_EQ(decimal_number("100.0", 100), 100.0);
  EXPECT_FALSE(decimal_number("100.1", 100));
  for (const char* bad : {"", ".", ".5", "5.", "-1", "+1", "1e3", "nan", "inf", "1.2.3", "0x1", " 1"}) {
    EXPECT_FALSE(decimal_number(bad, 1e9)) << bad;
  }
}

}  // namespace
}  // namespace parkbench::http
