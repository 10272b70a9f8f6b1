#include "parkbench/http/request_head.hpp"

#include <gtest/gtest.h>

#include <string>

namespace parkbench::http {
namespace {

RequestHead head;  // of the last read()

Refusal read(const std::string& bytes, bool whole = true) {
  static const Limits limits;
  const std::size_t first_line = bytes.find("\r\n") + 2;
  return read_request_head(std::string_view(bytes).substr(0, whole ? bytes.size() : first_line), first_line, limits,
                           head);
}

TEST(RequestHead, says_where_its_parts_lie) {
  const std::string bytes = "POST /a?b HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n";
  EXPECT_EQ(read(bytes).status, 0);
  EXPECT_EQ(head.method, Method::post);
  EXPECT_EQ(head.target.in(bytes.data()), "/a?b");
  EXPECT_EQ(head.path.in(bytes.data()), "/a");
  EXPECT_EQ(head.query.in(bytes.data()), "b");
  EXPECT_EQ(head.content_length, 7U);
  EXPECT_FALSE(head.chunked);
  EXPECT_TRUE(head.expects_continue);
  EXPECT_TRUE(head.keep_alive);
}

TEST(RequestHead, knows_whether_the_connection_is_kept) {
  read("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(head.keep_alive);
  read("GET / HTTP/1.0\r\n\r\n");
  EXPECT_FALSE(head.keep_alive);
  EXPECT_EQ(head.minor_version, 0);
  read("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(head.keep_alive);
}

TEST(RequestHead, is_judged_by_its_first_line_before_its_headers) {
  EXPECT_EQ(read("GET / HTTP/2.0\r\nbad\r\n\r\n").status, 505);
  EXPECT_EQ(read("GET / HTTP/2.0\r\n", false).status, 505);
  EXPECT_EQ(read("BREW / HTTP/1.1\r\nHost: h\r\n\r\n", false).status, 501);
  EXPECT_EQ(read("GET /\r\n\r\n", false).status, 400);
  EXPECT_EQ(read("GET / HTTP/1.1\r\nbad\r\n\r\n", false).status, 0);
  EXPECT_EQ(read("GET / HTTP/1.1\r\nbad\r\n\r\n").status, 400);
}

TEST(RequestHead, makes_chunked_and_length_exclude_each_other) {
  read("GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_TRUE(head.chunked);
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n").status, 400);
}

}  // namespace
}  // namespace parkbench::http
