#include "parkbench/http/server_session.hpp"

#include <gtest/gtest.h>

#include "http/drive.hpp"

namespace parkbench::http {
namespace {

using Step = ServerSession::Step;

const std::string kGet = "GET /hello?a=1 HTTP/1.1\r\nHost: a\r\nX-Y: z\r\n\r\n";

std::string answer(const std::string& further = {}) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n" + further +
         std::string(kBirthday) + "\r\nHello, World!";
}

TEST(ServerSession, hands_a_request_to_its_handler_and_the_answer_to_the_peer) {
  Driven server(Driven::kLimits, [](ServerSession& session) {
    const Request& request = session.request();
    EXPECT_EQ(request.method, Method::get);
    EXPECT_EQ(request.target, "/hello?a=1");
    EXPECT_EQ(request.path, "/hello");
    EXPECT_EQ(request.query, "a=1");
    EXPECT_EQ(request.header("x-y"), "z");
    EXPECT_EQ(request.headers, "Host: a\r\nX-Y: z\r\n");
    EXPECT_EQ(request.body, "");
    EXPECT_EQ(request.minor_version, 1);
    EXPECT_TRUE(request.keep_alive);
    EXPECT_EQ(session.request_complete_at(), 7);
    Driven::hello(session);
  });
  server.now = 7;
  EXPECT_TRUE(server.session.idle());
  server.feed(kGet);
  EXPECT_EQ(server.written, answer());
  EXPECT_TRUE(server.session.idle());
  EXPECT_FALSE(server.closes);
}

TEST(ServerSession, reads_bodies_with_a_length_and_in_chunks) {
  std::vector<std::string> bodies;
  Driven server(Driven::kLimits, [&bodies](ServerSession& session) {
    bodies.emplace_back(session.request().body);
    EXPECT_EQ(session.request().path, "/");
    EXPECT_EQ(session.request().header("host"), "a");
    Driven::hello(session);
  });
  const std::string large(10'000, 'x');
  server.feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n" + large);
  server.feed(std::vector<std::string>{"POST http://a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7",
                                       "d0\r\n", large.substr(0, 1000), large.substr(0, 1000), "\r\n",
                                       "3\r\nabc\r\n0\r\nHost: b\r\n\r\n"});
  EXPECT_EQ(bodies, (std::vector<std::string>{large, large.substr(0, 2000) + "abc"}));
  EXPECT_TRUE(server.session.idle());
}

TEST(ServerSession, answers_HEAD_without_a_body) {
  Driven server;
  server.feed("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string whole = answer();
  EXPECT_EQ(server.written, whole.substr(0, whole.size() - 13));
  server.feed("HEAD / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(server.written.ends_with("\r\n\r\n"));  // a refusal neither
}

TEST(ServerSession, has_no_body_where_the_status_forbids_one) {
  Driven server(Driven::kLimits, [](ServerSession& session) {
    Response response;
    response.status = 204;
    response.body = "dropped";
    session.respond(response, 0);
  });
  server.feed(kGet);
  EXPECT_EQ(server.written, "HTTP/1.1 204 No Content\r\n" + std::string(kBirthday) + "\r\n");
}

TEST(ServerSession, speaks_HTTP_1_0) {
  Driven closing;
  closing.feed("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(closing.written, answer("Connection: close\r\n"));
  EXPECT_TRUE(closing.closes);
  Driven keeping;
  keeping.feed("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(keeping.written, answer("Connection: keep-alive\r\n"));
  EXPECT_FALSE(keeping.closes);
}

TEST(ServerSession, closes_when_the_peer_or_the_handler_asks_for_it_and_drops_what_still_comes) {
  Driven asked;
  asked.feed("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + kGet);
  EXPECT_EQ(asked.written, answer("Connection: close\r\n"));
  EXPECT_EQ(asked.session.step(), Step::read);  // lingering
  asked.feed(kGet + std::string(5000, 'x'));
  EXPECT_EQ(asked.written, answer("Connection: close\r\n"));
  asked.session.ended(0);
  EXPECT_EQ(asked.session.step(), Step::close);

  Driven told(Driven::kLimits, [](ServerSession& session) {
    Response response;
    response.close = true;
    session.respond(response, 0);
  });
  told.feed(kGet);
  EXPECT_TRUE(told.closes);
}

TEST(ServerSession, answers_a_pipeline_in_order_one_at_a_time) {
  int seen = 0;
  Driven server(Driven::kLimits, [&seen](ServerSession& session) {
    Response response;
    response.body = std::to_string(seen++) + ':' + std::string(session.request().path);
    session.respond(response, 0);
  });
  std::string bytes;
  for (int i = 0; i < 50; ++i) bytes += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  server.feed(bytes);
  EXPECT_EQ(seen, 50);
  std::size_t at = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string body = "\r\n\r\n" + std::to_string(i) + ":/" + std::to_string(i);
    at = server.written.find(body, at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST(ServerSession, keeps_the_next_request_whole_while_an_answer_larger_than_the_buffer_goes_out) {
  Driven server(Driven::kLimits, [](ServerSession& session) {
    Response response;
    response.body = std::string(session.request().path) + std::string(5000, 'b');
    session.respond(response, 0);
  });
  server.feed("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(server.written.find("\r\n\r\n/1bbb"), std::string::npos);
  EXPECT_NE(server.written.find("\r\n\r\n/2bbb"), std::string::npos);
}

TEST(ServerSession, sends_100_before_it_waits_for_a_body) {
  Driven server;
  server.feed("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(server.written, "HTTP/1.1 100 Continue\r\n\r\n");
  server.feed("abc");
  EXPECT_EQ(server.written, "HTTP/1.1 100 Continue\r\n\r\n" + answer());
}

TEST(ServerSession, answers_a_peer_that_has_finished_sending_then_closes) {
  Driven server;
  server.feed(kGet);
  server.session.ended(0);
  EXPECT_EQ(server.written, answer());
  EXPECT_EQ(server.session.step(), Step::close);

  ServerSession session(Driven::kLimits, 0, birthday);
  const auto room = session.space();
  std::memcpy(room.data(), kGet.data(), kGet.size());
  session.received(kGet.size(), 0);
  session.ended(0);
  EXPECT_EQ(session.step(), Step::handle);
  Driven::hello(session);
  EXPECT_EQ(session.pending(), answer("Connection: close\r\n"));
  session.written(session.pending().size(), 0);
  EXPECT_EQ(session.step(), Step::close);
}

TEST(ServerSession, closes_silently_on_an_end_within_a_request) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kGet.size() - 1}) {
    Driven server;
    server.feed(kGet.substr(0, size));
    server.session.ended(0);
    EXPECT_EQ(server.session.step(), Step::close);
    EXPECT_EQ(server.written, "");
  }
}

TEST(ServerSession, stops_at_once_when_idle_and_after_the_answer_when_not) {
  Driven idle;
  idle.feed(kGet);
  idle.session.stop_keep_alive();
  EXPECT_EQ(idle.session.step(), Step::close);

  Driven busy;
  busy.feed(kGet.substr(0, 10));
  busy.session.stop_keep_alive();
  EXPECT_EQ(busy.session.step(), Step::read);
  busy.feed(kGet.substr(10) + kGet);
  EXPECT_EQ(busy.written, answer("Connection: close\r\n"));
  EXPECT_TRUE(busy.closes);
}

TEST(ServerSession, says_once_what_it_refused) {
  Driven server;
  server.feed(kGet);
  EXPECT_EQ(server.session.refused(), 0);
  server.feed("nonsense\r\n");
  EXPECT_EQ(server.session.refused(), 400);
  EXPECT_NE(server.written.find("\r\n\r\nBad Request: the first line is malformed\n"), std::string::npos);
}

TEST(ServerSession, holds_no_buffer_while_it_is_idle) {
  Driven server;
  server.feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n" + std::string(10'000, 'x'));
  ASSERT_TRUE(server.session.idle());
  EXPECT_EQ(server.session.space().size(), 1024U);  // a new one
  server.session.received(0, 0);
  EXPECT_EQ(server.session.space().size(), 1024U);
}

}  // namespace
}  // namespace parkbench::http
