#include "parkbench/server/connection_loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <string>

#include "parkbench/base/thread.hpp"
#include "server/every_server.hpp"
#include "server/manual_connection.hpp"

namespace parkbench::server::testing {
namespace {

TEST(ConnectionLoop, numbers_its_requests_in_steps) {
  ManualPlace s(1, 4);
  Peer peer(s.place.port());
  for (const std::uint64_t number : {1U, 5U, 9U}) {
    peer.send(request("/hello"));
    auto& connection = s.next();
    EXPECT_EQ(connection.number(), number);
    connection.answer("x");
    ASSERT_TRUE(connection.give_back_idle());
    peer.receive();
    peer.get("/healthz");  // needs no model and takes no number
  }
}

TEST(ConnectionLoop, takes_more_connections_than_one_turn_does) {
  ManualPlace s;
  std::deque<Peer> peers;
  for (int i = 0; i < 300; ++i) peers.emplace_back(s.place.port());
  until([&] { return s.table.size() == 300; });
  for (Peer& peer : peers) EXPECT_EQ(peer.get("/healthz").status, 200);
  peers.clear();
  until([&] { return s.closed == 300; });
  EXPECT_EQ(s.table.size(), 0);
}

TEST(ConnectionLoop, drops_a_connection_for_which_there_is_no_memory_and_goes_on) {
  ManualPlace s;
  s.to_fail = true;
  Peer dropped(s.place.port());
  EXPECT_EQ(dropped.receive().status, 0);
  EXPECT_EQ(Peer(s.place.port()).get("/healthz").status, 200);
  EXPECT_EQ(s.made, 1);
}

TEST(ConnectionLoop, a_stop_waits_for_a_request_and_closes_its_connection_then) {
  ManualPlace s;
  Peer idle(s.place.port());
  EXPECT_EQ(idle.get("/healthz").status, 200);
  Peer peer(s.place.port());
  peer.send(request("/hello") + request("/hello"));
  auto& connection = s.next();
  std::atomic<bool> stopped{false};
  Thread stop("stop", [&] {
    s.place.stop();
    stopped = true;
  });
  EXPECT_TRUE(idle.at_end());
  EXPECT_FALSE(stopped);
  connection.answer("in flight");
  EXPECT_FALSE(connection.give_back_idle());
  connection.give_back();
  const Answer answer = peer.receive();
  EXPECT_EQ(answer.body, "in flight");
  EXPECT_TRUE(answer.has("Connection: close\r\n"));
  EXPECT_EQ(peer.receive().status, 0);
  peer.reset();
  until([&] {
    s.clock.advance(kMillisecond);  // it looks again from time to time
    return stopped.load();
  });
  EXPECT_EQ(s.closed, 2);
  EXPECT_FALSE(Peer(s.place.port()).connected());
}

class Stopping : public EveryServer {};

TEST_P(Stopping, a_stop_is_safe_while_connections_and_requests_come_in) {
  for (int round = 0; round < 5; ++round) {
    Setting s(GetParam());
    std::atomic<int> served{0};
    std::deque<Thread> clients;
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back("client", [&] {
        for (;;) {
          Peer peer(s.port());
          if (!peer.connected()) return;
          while (peer.get("/hello").status == 200) ++served;
        }
      });
    }
    until([&] { return served > 50; });
    s.server->stop();
    clients.clear();
    EXPECT_EQ(s.server->server_counters().connections, 0);
    EXPECT_EQ(s.server->counters().held, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, Stopping, kServers, server_name);

}  // namespace
}  // namespace parkbench::server::testing
