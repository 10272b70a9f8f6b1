#include "parkbench/http/header_lines.hpp"

#include <gtest/gtest.h>

namespace parkbench::http {
namespace {

constexpr std::string_view kLines = "Host: a\r\nX-Empty:\r\nX-Blank: \t \r\nX-Two:  b c\t\r\nX-Two: d\r\nX: e\r\n";

TEST(HeaderLines, are_found_by_name_in_any_case) {
  EXPECT_EQ(find_header(kLines, "host"), "a");
  EXPECT_EQ(find_header(kLines, "X-TWO"), "b c");
  EXPECT_EQ(find_header(kLines, "x"), "e");
  EXPECT_EQ(find_header(kLines, "x-empty"), "");
  EXPECT_EQ(find_header(kLines, "x-blank"), "");
}

TEST(HeaderLines, are_found_by_their_whole_name_only) {
  EXPECT_FALSE(find_header(kLines, "Hos"));
  EXPECT_FALSE(find_header(kLines, "Hosts"));
  EXPECT_FALSE(find_header(kLines, "b c"));
  EXPECT_FALSE(find_header("", "Host"));
}

TEST(HeaderLines, know_letters_but_not_their_neighbours) {
  EXPECT_TRUE(equal_ignoring_case("aZ-09", "Az-09"));
  EXPECT_FALSE(equal_ignoring_case("@", "`"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
}

}  // namespace
}  // namespace parkbench::http
