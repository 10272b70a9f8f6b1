#include "parkbench/http/client_head.hpp"

#include <gtest/gtest.h>

#include <string>

namespace parkbench::http {
namespace {

using Framing = AnswerHead::Framing;

AnswerHead head;  // of the last read()

bool read(const std::string& bytes, bool head_request = false) {
  return read_answer_head(bytes + "\r\n", head_request, head) == nullptr;
}

TEST(ClientHead, knows_how_the_body_ends) {
  EXPECT_TRUE(read("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n"));
  EXPECT_EQ(head.framing, Framing::length);
  EXPECT_EQ(head.content_length, 7U);
  EXPECT_TRUE(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n"));
  EXPECT_EQ(head.framing, Framing::chunked);
  EXPECT_TRUE(head.keep_alive);
  EXPECT_TRUE(read("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(head.framing, Framing::until_close);
  EXPECT_FALSE(head.keep_alive);
  for (const char* line : {"HTTP/1.1 204 No Content\r\n", "HTTP/1.1 304 Not Modified\r\n", "HTTP/1.1 103 Early\r\n"}) {
    EXPECT_TRUE(read(std::string(line) + "Content-Length: 7\r\n")) << line;
    EXPECT_EQ(head.framing, Framing::none) << line;
    EXPECT_TRUE(head.keep_alive) << line;
  }
}

TEST(ClientHead, of_an_answer_to_HEAD_has_no_body_and_keeps_the_connection) {
  EXPECT_TRUE(read("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n", true));
  EXPECT_EQ(head.framing, Framing::none);
  EXPECT_TRUE(read("HTTP/1.1 200 OK\r\n", true));
  EXPECT_TRUE(head.keep_alive);
}

TEST(ClientHead, knows_whether_the_connection_is_kept) {
  EXPECT_TRUE(read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n"));
  EXPECT_FALSE(head.keep_alive);
  EXPECT_TRUE(read("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n"));
  EXPECT_FALSE(head.keep_alive);
  EXPECT_TRUE(read("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n"));
  EXPECT_TRUE(head.keep_alive);
}

TEST(ClientHead, is_refused_when_its_body_could_end_in_two_places) {
  for (const char* bad :
       {"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n",
        "Content-Length: 1, 1\r\n", "Content-Length: -1\r\n", "Content-Length:\r\n", "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"}) {
    EXPECT_FALSE(read(std::string("HTTP/1.1 200 OK\r\n") + bad)) << bad;
  }
  EXPECT_FALSE(read("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n"));
}

}  // namespace
}  // namespace parkbench::http
