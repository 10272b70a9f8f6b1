#include "parkbench/load/http_connection.hpp"

#include <gtest/gtest.h>

#include "load/scripted_server.hpp"

namespace parkbench::load {
namespace {

using Step = HttpConnection::Step;
using testing::ScriptedServer;

/// One connection and its epoll descriptor.
class HttpConnectionTest : public ::testing::Test {
 protected:
  Step connect(std::uint16_t port) {
    const Step step = connection_.connect(socket_address("127.0.0.1", port), epoll_.get(), 7);
    return step == Step::waiting ? next() : step;
  }
  /// Hands over events until there is more to say than `waiting`.
  Step next() {
    for (;;) {
      epoll_event event{};
      if (epoll_wait(epoll_.get(), &event, 1, -1) != 1) continue;
      EXPECT_EQ(event.data.u64, 7U);
      const Step step = connection_.on_events(event.events);
      if (step != Step::waiting) return step;
    }
  }
  UniqueFd epoll_{epoll_create1(EPOLL_CLOEXEC)};
  HttpConnection connection_{true};
};

TEST(SocketAddress, takes_numeric_addresses_only) {
  EXPECT_EQ(socket_address("127.0.0.1", 80).storage.ss_family, AF_INET);
  EXPECT_EQ(socket_address("::1", 80).storage.ss_family, AF_INET6);
  EXPECT_THROW(socket_address("localhost", 80), Failure);
}

TEST_F(HttpConnectionTest, one_request_one_answer_and_again) {
  const ScriptedServer server({testing::always_ok});
  EXPECT_EQ(connect(server.port()), Step::connected);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(connection_.send("GET / HTTP/1.1\r\n\r\n"), Step::waiting);
    EXPECT_TRUE(connection_.sent_whole());
    EXPECT_EQ(next(), Step::answered);
    EXPECT_EQ(connection_.session().body(), "ok");
    connection_.next();
    EXPECT_EQ(connection_.state(), HttpConnection::State::open);
  }
  connection_.close();
}

TEST_F(HttpConnectionTest, an_answer_in_pieces_larger_than_a_read) {
  const std::string body(300'000, 'x');
  const ScriptedServer server({[&](ScriptedServer::Talk& talk) {
    while (talk.request()) talk.answer(body);
  }});
  connect(server.port());
  connection_.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(next(), Step::answered);
  EXPECT_EQ(connection_.session().body(), body);
  connection_.close();
}

TEST_F(HttpConnectionTest, an_answer_that_lasts_until_the_close_closes) {
  const ScriptedServer server({[](ScriptedServer::Talk& talk) {
    talk.request();
    talk.say("HTTP/1.1 200 OK\r\n\r\nall of it");
  }});
  connect(server.port());
  connection_.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(next(), Step::answered);
  EXPECT_EQ(connection_.session().body(), "all of it");
  connection_.next();
  EXPECT_EQ(connection_.state(), HttpConnection::State::closed);
}

TEST_F(HttpConnectionTest, a_kept_connection_closed_as_the_request_goes_out_is_stale) {
  const ScriptedServer server({[](ScriptedServer::Talk& talk) {
    talk.request();
    talk.answer("ok");
    talk.request();
  }});
  connect(server.port());
  connection_.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(next(), Step::answered);
  connection_.next();
  connection_.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(next(), Step::failed);
  EXPECT_EQ(connection_.error().code, ErrorCode::stale_connection);
  EXPECT_EQ(connection_.state(), HttpConnection::State::closed);
}

}  // namespace
}  // namespace parkbench::load
