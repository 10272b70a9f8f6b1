#include "parkbench/http/client_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace parkbench::http {
namespace {

using State = ClientSession::State;

const std::string kHello = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";

void receive(ClientSession& session, std::string_view bytes, std::size_t piece = 1 << 20) {
  while (!bytes.empty() && session.state() != State::failed) {
    const auto room = session.space();
    const std::size_t size = std::min({room.size(), bytes.size(), piece});
    std::memcpy(room.data(), bytes.data(), size);
    bytes.remove_prefix(size);
    session.received(size);
  }
}

ClientSession asked(bool head = false, ClientLimits limits = {}) {
  ClientSession session(limits);
  session.start(get_request("/", "a"), head);
  session.written(session.pending().size());
  return session;
}

/// What becomes of one request that is answered by these bytes, then nothing; the same in pieces.
ErrorCode outcome(const std::string& bytes, bool head = false,
                  ClientLimits limits = {.header_block = 300, .body = 40}) {
  ClientSession whole = asked(head, limits);
  receive(whole, bytes);
  ClientSession pieces = asked(head, limits);
  receive(pieces, bytes, 1);
  EXPECT_EQ(whole.state(), pieces.state()) << bytes;
  EXPECT_EQ(whole.error().code, pieces.error().code) << bytes;
  if (whole.state() == State::reading) whole.ended();
  return whole.error().code;
}

TEST(ClientSession, sends_a_request_and_takes_its_answer) {
  ClientSession session;
  EXPECT_EQ(session.state(), State::idle);
  session.start(get_request("/a?b", "h:80", "X: y\r\n"));
  EXPECT_EQ(session.state(), State::sending);
  EXPECT_EQ(session.pending(), "GET /a?b HTTP/1.1\r\nHost: h:80\r\nX: y\r\n\r\n");
  session.written(4);
  EXPECT_EQ(session.pending(), "/a?b HTTP/1.1\r\nHost: h:80\r\nX: y\r\n\r\n");
  session.written(session.pending().size());
  EXPECT_EQ(session.state(), State::reading);
  receive(session, kHello);
  EXPECT_EQ(session.state(), State::done);
  EXPECT_EQ(session.status(), 200);
  EXPECT_EQ(session.body(), "hello");
  EXPECT_EQ(session.body_bytes(), 5U);
  EXPECT_EQ(session.header("content-type"), "text/plain");
  EXPECT_EQ(session.header("x"), "");
  EXPECT_TRUE(session.keep_alive());
}

TEST(ClientSession, is_used_again_and_again) {
  ClientSession session;
  for (int i = 0; i < 3; ++i) {
    session.start(get_request("/", "a"));
    session.written(session.pending().size());
    receive(session, kHello, 7);
    ASSERT_EQ(session.state(), State::done);
    EXPECT_EQ(session.body(), "hello");
    session.reset();
    EXPECT_EQ(session.state(), State::idle);
    EXPECT_EQ(session.body(), "");
    EXPECT_EQ(session.header("content-type"), "");
  }
}

TEST(ClientSession, takes_bodies_of_every_kind_of_end) {
  ClientSession chunked = asked();
  receive(chunked, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: u\r\n\r\n",
          2);
  EXPECT_EQ(chunked.state(), State::done);
  EXPECT_EQ(chunked.body(), "abcde");
  EXPECT_TRUE(chunked.keep_alive());

  ClientSession open = asked();
  receive(open, "HTTP/1.1 200 OK\r\n\r\nabc");
  EXPECT_EQ(open.state(), State::reading);
  open.ended();
  EXPECT_EQ(open.state(), State::done);
  EXPECT_EQ(open.body(), "abc");
  EXPECT_FALSE(open.keep_alive());

  ClientSession none = asked(true);
  receive(none, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(none.state(), State::done);
  EXPECT_EQ(none.body(), "");
}

TEST(ClientSession, drops_a_body_that_is_not_wanted_and_holds_little_memory_for_it) {
  for (const char* framing : {"Content-Length: 1000000", "X: until the close"}) {
    ClientSession session = asked();
    session.keep_body(false);
    receive(session, std::string("HTTP/1.1 200 OK\r\n") + framing + "\r\n\r\n");
    for (int i = 0; i < 1000; ++i) {
      EXPECT_LE(session.space().size(), 64U * 1024);
      receive(session, std::string(1000, 'x'));
    }
    session.ended();
    EXPECT_EQ(session.state(), State::done);
    EXPECT_EQ(session.body_bytes(), 1'000'000U);
    EXPECT_EQ(session.body(), "");
  }
}

TEST(ClientSession, skips_interim_answers) {
  EXPECT_EQ(outcome("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + kHello),
            ErrorCode::none);
  EXPECT_EQ(outcome("HTTP/1.1 101 Switching Protocols\r\n\r\n"), ErrorCode::protocol_error);
  EXPECT_EQ(outcome("HTTP/1.1 100 Continue\r\n\r\n"), ErrorCode::truncated);
}

TEST(ClientSession, tells_ways_to_fail_apart) {
  EXPECT_EQ(outcome(""), ErrorCode::closed_before_response);
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nConte"), ErrorCode::truncated);
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"), ErrorCode::truncated);
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), ErrorCode::truncated);
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"), ErrorCode::protocol_error);
  EXPECT_EQ(outcome(kHello + "HTTP/1.1 200 OK\r\n"), ErrorCode::protocol_error);
  for (const char* line :
       {"HTP/1.1 200 OK\r\n", "HTTP/1.1  200 OK\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1\t200 OK\r\n",
        "HTTP/5.6 200 OK\r\n", "HTTP/1.1 099 OK\r\n", "HTTP/1.1 200 OK\n", "\r\nHTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nA: \x01\r\n", "HTTP/1.1 200 OK\r\nA: b\rc\r\n", "HTTP/1.1 200 OK\r\nA\r\n"}) {
    EXPECT_EQ(outcome(std::string(line) + "\r\n"), ErrorCode::protocol_error) << line;
  }
}

TEST(ClientSession, keeps_its_limits) {
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nA: " + std::string(300, 'a')), ErrorCode::header_too_large);
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nContent-Length: 41\r\n\r\n"), ErrorCode::body_too_large);
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\n\r\n" + std::string(41, 'a')), ErrorCode::body_too_large);
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n29\r\n"), ErrorCode::body_too_large);
}

TEST(ClientSession, tells_a_connection_that_broke_from_one_that_had_been_closed_before) {
  ClientSession fresh = asked();
  fresh.broken();
  EXPECT_EQ(fresh.error().code, ErrorCode::reset_headers);
  ClientSession within = asked();
  receive(within, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nh");
  within.broken();
  EXPECT_EQ(within.error().code, ErrorCode::reset_body);
  for (const bool reset : {true, false}) {
    ClientSession used = asked();
    receive(used, kHello);
    used.reset();
    used.start(get_request("/", "a"));
    if (reset) {
      used.broken();
    } else {
      used.ended();
    }
    EXPECT_EQ(used.error().code, ErrorCode::stale_connection);
  }
}

TEST(ClientSession, never_pairs_an_answer_with_a_request_that_did_not_ask_for_it) {
  ClientSession before;
  receive(before, kHello);
  EXPECT_EQ(before.error().code, ErrorCode::protocol_error);
  ClientSession after = asked();
  receive(after, kHello);
  receive(after, kHello);
  EXPECT_EQ(after.error().code, ErrorCode::protocol_error);
  EXPECT_FALSE(after.keep_alive());
}

TEST(ClientSession, may_be_answered_before_all_is_sent_but_is_not_used_again_then) {
  ClientSession session;
  session.start("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
  session.written(10);
  receive(session, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(session.state(), State::done);
  EXPECT_EQ(session.status(), 413);
  EXPECT_FALSE(session.keep_alive());
}

TEST(ClientSession, that_is_idle_is_stale_once_the_peer_closed) {
  ClientSession session = asked();
  receive(session, kHello);
  session.reset();
  session.ended();
  EXPECT_EQ(session.state(), State::failed);
  EXPECT_EQ(session.error().code, ErrorCode::stale_connection);
}

}  // namespace
}  // namespace parkbench::http
