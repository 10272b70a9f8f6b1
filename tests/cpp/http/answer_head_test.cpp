#include "parkbench/http/answer_head.hpp"

#include <gtest/gtest.h>

namespace parkbench::http {
namespace {

std::string head(const Response& response, Framing framing, ConnectionHeader connection) {
  std::string out(answer_head_room(response), '?');
  out.resize(
      static_cast<std::size_t>(write_answer_head(out.data(), response, framing, connection, 784'111'777) - out.data()));
  return out;
}

TEST(AnswerHead, has_type_length_further_headers_connection_and_date_in_this_order) {
  Response response;
  response.body = "Hello, World!";
  response.headers = "X: y\r\n";
  EXPECT_EQ(head(response, Framing::length, ConnectionHeader::close),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\nX: y\r\n"
            "Connection: close\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
  EXPECT_EQ(head(response, Framing::chunked, ConnectionHeader::none),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\nX: y\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
  EXPECT_EQ(head(response, Framing::until_close, ConnectionHeader::keep_alive),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nX: y\r\nConnection: keep-alive\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
}

TEST(AnswerHead, says_nothing_of_a_body_that_is_not_there) {
  Response response;
  response.status = 204;
  EXPECT_EQ(head(response, Framing::none, ConnectionHeader::none),
            "HTTP/1.1 204 No Content\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
}

TEST(AnswerHead, keeps_within_its_room) {
  Response response;
  response.status = 431;  // the longest reason
  response.headers = std::string(1000, 'h');
  EXPECT_LE(head(response, Framing::length, ConnectionHeader::keep_alive).size(), answer_head_room(response));
}

}  // namespace
}  // namespace parkbench::http
