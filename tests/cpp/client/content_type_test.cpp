#include "parkbench/client/content_type.hpp"

#include <gtest/gtest.h>

#include <string>

namespace parkbench::client {
namespace {

TEST(ContentType, is_kept_once) {
  const std::string_view first = kept_content_type(std::string("text/html"));
  EXPECT_EQ(first, "text/html");
  EXPECT_EQ(kept_content_type(std::string("text/html")).data(), first.data());
}

TEST(ContentType, keeps_no_more_than_a_server_may_sensibly_have) {
  for (int i = 0; i < 100; ++i) kept_content_type("x/" + std::to_string(i));
  EXPECT_EQ(kept_content_type("x/99"), "application/octet-stream");
  EXPECT_EQ(kept_content_type("x/0"), "x/0");
}

}  // namespace
}  // namespace parkbench::client
