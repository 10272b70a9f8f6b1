#include <gtest/gtest.h>

#include "http/drive.hpp"

namespace parkbench::http {
namespace {

using Step = ServerSession::Step;

constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";

void stream(ServerSession& session) {
  Response head;
  head.content_type = "text/event-stream";
  session.begin_stream(head, 0);
  session.stream("data: 1\n\n", 0);
  session.stream("", 0);  // would end a chunked body
  session.stream("data: 2, which is longer\n\n", 0);
  session.end_stream(0);
}

TEST(ServerStream, is_chunked_and_keeps_the_connection) {
  Driven server(Driven::kLimits, stream);
  server.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(server.written, std::string(kHead) + "Transfer-Encoding: chunked\r\n" + std::string(kBirthday) +
                                "\r\n9\r\ndata: 1\n\n\r\n1a\r\ndata: 2, which is longer\n\n\r\n0\r\n\r\n");
  EXPECT_FALSE(server.closes);
  EXPECT_TRUE(server.session.idle());
}

TEST(ServerStream, lasts_until_the_close_for_HTTP_1_0) {
  Driven server(Driven::kLimits, stream);
  server.feed("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(server.written, std::string(kHead) + "Connection: close\r\n" + std::string(kBirthday) +
                                "\r\ndata: 1\n\ndata: 2, which is longer\n\n");
  EXPECT_TRUE(server.closes);
}

TEST(ServerStream, of_HEAD_is_its_head_alone) {
  Driven server(Driven::kLimits, stream);
  server.feed("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(server.written, std::string(kHead) + "Transfer-Encoding: chunked\r\n" + std::string(kBirthday) + "\r\n");
  EXPECT_TRUE(server.session.idle());
}

TEST(ServerStream, is_fed_piece_by_piece_as_the_peer_takes_it) {
  int turns = 0;
  Driven server(Driven::kLimits, [&turns](ServerSession& session) {
    if (!session.streaming()) return session.begin_stream({}, 0);
    EXPECT_EQ(session.pending(), "");
    if (++turns == 4) return session.end_stream(0);
    session.stream("row", 0);
  });
  server.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(server.written.ends_with("\r\n\r\n3\r\nrow\r\n3\r\nrow\r\n3\r\nrow\r\n0\r\n\r\n"));
  EXPECT_TRUE(server.session.idle());
}

TEST(ServerStream, that_is_aborted_is_cut_off) {
  Driven chunked(Driven::kLimits, [](ServerSession& session) {
    if (!session.streaming()) return session.begin_stream({}, 0);
    session.stream("row", 0);
    session.abort_stream();
  });
  chunked.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(chunked.session.step(), Step::close);
  EXPECT_FALSE(chunked.written.ends_with("0\r\n\r\n"));
  EXPECT_FALSE(chunked.session.must_reset());  // its missing last chunk shows

  Driven open(Driven::kLimits, [](ServerSession& session) {
    session.begin_stream({}, 0);
    session.abort_stream();
  });
  open.feed("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(open.session.step(), Step::close);
  EXPECT_TRUE(open.session.must_reset());
}

}  // namespace
}  // namespace parkbench::http
