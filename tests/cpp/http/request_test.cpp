#include "parkbench/http/request.hpp"

#include <gtest/gtest.h>

namespace parkbench::http {
namespace {

TEST(Request, gives_a_header_or_nothing) {
  Request request;
  request.headers = "Host: a\r\nX:\r\n";
  EXPECT_EQ(request.header("HOST"), "a");
  EXPECT_EQ(request.header("X"), "");
  EXPECT_TRUE(request.has_header("x"));
  EXPECT_FALSE(request.has_header("y"));
}

TEST(Request, names_its_method_as_sent) {
  EXPECT_EQ(to_string(Method::get), "GET");
  EXPECT_EQ(to_string(Method::del), "DELETE");
  EXPECT_EQ(to_string(Method::connect), "CONNECT");
}

}  // namespace
}  // namespace parkbench::http
