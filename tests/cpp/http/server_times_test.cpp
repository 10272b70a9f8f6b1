#include <gtest/gtest.h>

#include "http/drive.hpp"

namespace parkbench::http {
namespace {

using Step = ServerSession::Step;

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const Limits kTimes{.header_time = 10, .body_time = 30, .idle_time = 60, .write_time = 20, .linger_time = 5};

/// Time goes on to `now`; the session is told when its deadline has passed.
void advance(Driven& server, Ns now) {
  server.now = now;
  if (server.session.deadline().passed(now)) server.session.expired(now);
  server.turn();
}

TEST(ServerTimes, a_fresh_connection_that_says_nothing_is_closed_silently) {
  Driven server(kTimes);
  advance(server, 9);
  EXPECT_FALSE(server.closes);
  advance(server, 10);
  EXPECT_EQ(server.session.step(), Step::close);
  EXPECT_EQ(server.written, "");
}

TEST(ServerTimes, a_head_is_limited_as_a_whole_from_the_connect_on) {
  Driven server(kTimes);
  for (Ns now = 1; now < 10; ++now) {
    advance(server, now);
    server.feed(kGet.substr(static_cast<std::size_t>(now) - 1, 1));
    EXPECT_EQ(server.session.deadline().when(), 10);
  }
  advance(server, 10);
  EXPECT_TRUE(server.written.starts_with("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_NE(server.written.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(server.closes);
  EXPECT_EQ(server.session.step(), Step::read);  // lingering
  EXPECT_EQ(server.session.deadline().when(), 15);
  advance(server, 15);
  EXPECT_EQ(server.session.step(), Step::close);
}

TEST(ServerTimes, every_prefix_of_a_request_is_waited_for_then_refused) {
  for (std::size_t size = 1; size < kGet.size(); ++size) {
    Driven server(kTimes);
    server.feed(kGet.substr(0, size));
    advance(server, 9);
    EXPECT_EQ(server.written, "");
    advance(server, 10);
    EXPECT_TRUE(server.written.starts_with("HTTP/1.1 408 ")) << size;
  }
}

TEST(ServerTimes, a_kept_connection_is_closed_silently_after_its_idle_time) {
  Driven server(kTimes);
  server.now = 7;
  server.feed(kGet);
  const std::size_t size = server.written.size();
  EXPECT_EQ(server.session.deadline().when(), 67);
  server.feed("\r\n");  // belongs to no request
  EXPECT_EQ(server.session.deadline().when(), 67);
  advance(server, 67);
  EXPECT_EQ(server.session.step(), Step::close);
  EXPECT_EQ(server.written.size(), size);
}

TEST(ServerTimes, the_next_head_is_limited_from_its_first_byte_on) {
  Driven server(kTimes);
  server.feed(kGet);
  server.now = 50;
  server.feed("G");
  EXPECT_EQ(server.session.deadline().when(), 60);
  server.now = 55;
  server.feed("ET");
  EXPECT_EQ(server.session.deadline().when(), 60);
  advance(server, 60);
  EXPECT_NE(server.written.find("HTTP/1.1 408 "), std::string::npos);
}

TEST(ServerTimes, a_slow_body_is_refused) {
  Driven server(kTimes);
  server.now = 3;
  server.feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n");
  for (Ns now = 4; now < 33; ++now) {
    advance(server, now);
    server.feed("x");
  }
  EXPECT_EQ(server.written, "");
  advance(server, 33);
  EXPECT_TRUE(server.written.starts_with("HTTP/1.1 408 "));
}

TEST(ServerTimes, a_reader_that_stops_is_closed_one_that_goes_on_is_not) {
  ServerSession session(kTimes, 0, birthday);
  std::memcpy(session.space().data(), kGet.data(), kGet.size());
  session.received(kGet.size(), 1);
  EXPECT_TRUE(session.deadline().is_never());  // the handler has its own
  Response response;
  response.body = std::string(100, 'x');
  session.respond(response, 5);
  EXPECT_EQ(session.deadline().when(), 25);
  session.written(1, 24);
  EXPECT_EQ(session.deadline().when(), 44);
  session.expired(43);  // too early: nothing happens
  EXPECT_EQ(session.step(), Step::write);
  session.expired(44);
  EXPECT_EQ(session.step(), Step::close);
}

TEST(ServerTimes, a_stream_is_not_late_while_its_handler_waits) {
  ServerSession session(kTimes, 0, birthday);
  std::memcpy(session.space().data(), kGet.data(), kGet.size());
  session.received(kGet.size(), 1);
  session.begin_stream({}, 2);
  session.written(session.pending().size(), 3);
  EXPECT_TRUE(session.deadline().is_never());
  session.stream("row", 1000);
  EXPECT_EQ(session.deadline().when(), 1020);
}

}  // namespace
}  // namespace parkbench::http
