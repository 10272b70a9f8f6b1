#include <sys/resource.h>

#include <algorithm>
#include <deque>

#include "parkbench/base/error.hpp"
#include "server/every_server.hpp"

namespace parkbench::server::testing {
namespace {

class Limited : public EveryServer {};

TEST_P(Limited, a_stop_answers_what_is_in_flight_and_takes_nothing_new) {
  Setting s(GetParam());
  Peer idle(s.port());
  EXPECT_EQ(idle.get("/hello").status, 200);
  Peer busy(s.port());
  s.hold(busy);
  busy.send(request("/hello"));
  s.server->stop();
  const Answer answer = busy.receive();
  EXPECT_EQ(answer.body, "slept");
  EXPECT_TRUE(answer.has("Connection: close\r\n"));
  EXPECT_EQ(busy.receive().status, 0) << "a request behind the last one";
  EXPECT_TRUE(idle.at_end());
  EXPECT_FALSE(Peer(s.port()).connected());
  EXPECT_EQ(s.server->server_counters().connections, 0);
  s.server->stop();
}

TEST_P(Limited, more_connections_than_allowed_are_told_so) {
  Setting s(GetParam(), {.max_connections = 2});
  Peer first(s.port());
  Peer second(s.port());
  s.wait_until_connected(2);
  Peer third(s.port());
  const Answer answer = third.receive();
  EXPECT_EQ(answer.status, 503);
  EXPECT_TRUE(answer.has("Retry-After: 1\r\n"));
  EXPECT_TRUE(third.at_end());
  EXPECT_EQ(s.server->server_counters().connections_dropped, 1U);
  first.reset();
  s.wait_until_connected(1);
  EXPECT_EQ(Peer(s.port()).get("/hello").status, 200);
  EXPECT_EQ(second.get("/hello").status, 200);
}

TEST_P(Limited, more_requests_than_admitted_are_refused_and_the_connection_lives) {
  Setting s(GetParam(), {.limit = 1});
  Peer first(s.port());
  s.hold(first);
  Peer second(s.port());
  const Answer refused = second.get("/hello");
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.has("Retry-After: 1\r\n"));
  EXPECT_EQ(second.get("/healthz").status, 200) << "heard whatever the model does";
  EXPECT_EQ(first.receive().body, "slept");
  s.wait_until_held(0);
  EXPECT_EQ(second.get("/hello").status, 200);
}

TEST_P(Limited, with_a_planted_delay_of_its_acceptor_a_connection_serves_one_request) {
  Setting s(GetParam(), {.planted_accept_delay = kMillisecond});
  Peer first(s.port());
  const Answer answer = first.get("/hello");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.has("Connection: close\r\n"));
  EXPECT_TRUE(first.at_end());
  EXPECT_EQ(Peer(s.port()).get("/hello").status, 200);
}

TEST_P(Limited, a_head_that_does_not_end_is_answered_408) {
  Setting s(GetParam(), {.limits = {.header_time = 50 * kMillisecond}});
  Peer peer(s.port());
  peer.send("GET /hello HTTP/1.1\r\nHost: te");
  EXPECT_EQ(peer.receive().status, 408);
  EXPECT_TRUE(peer.at_end());
  s.wait_until_connected(0);
  EXPECT_EQ(s.server->server_counters().bad_requests, 1U);
  Peer silent(s.port());
  EXPECT_TRUE(silent.at_end());
}

TEST_P(Limited, a_body_that_does_not_end_is_answered_408) {
  Setting s(GetParam(), {.limits = {.body_time = 50 * kMillisecond}});
  Peer peer(s.port());
  peer.send("POST /hello HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nabc");
  EXPECT_EQ(peer.receive().status, 408);
  EXPECT_TRUE(peer.at_end());
}

TEST_P(Limited, an_idle_connection_is_closed_silently) {
  Setting s(GetParam(), {.limits = {.idle_time = 50 * kMillisecond}});
  Peer peer(s.port());
  EXPECT_EQ(peer.get("/sleep?ms=100").status, 200) << "handling a request is not idle";
  EXPECT_TRUE(peer.at_end());
  EXPECT_EQ(s.server->server_counters().bad_requests, 0U);
}

TEST_P(Limited, who_takes_nothing_of_a_stream_is_closed) {
  Setting s(GetParam(), {.limits = {.write_time = 50 * kMillisecond}});
  Peer peer(s.port(), 4096);
  peer.send(request("/stream?rows=10000000"));
  until([&] { return s.server->server_counters().connections_total == 1; });
  s.wait_until_connected(0);
  s.wait_until_held(0);
}

TEST_P(Limited, what_is_no_request_is_refused_and_counted) {
  Setting s(GetParam());
  Peer peer(s.port());
  peer.send("GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  const Answer answer = peer.receive();
  EXPECT_EQ(answer.status, 400);
  EXPECT_TRUE(answer.has("Connection: close\r\n"));
  EXPECT_TRUE(peer.at_end());
  s.wait_until_connected(0);
  EXPECT_EQ(s.server->server_counters().bad_requests, 1U);
  EXPECT_EQ(s.server->server_counters().requests, 0U);
}

TEST_P(Limited, a_port_in_use_is_told_in_one_sentence) {
  Setting s(GetParam());
  try {
    const Setting other(GetParam(), {.port = s.port()});
    FAIL() << "two servers on one port";
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("the port is in use"), std::string::npos) << failure.what();
  }
}

/// Runs out of descriptors together with its own clients. True: one was told 503, and the server recovered.
bool survives_without_descriptors(const std::string& name) {
  const rlimit few{.rlim_cur = 128, .rlim_max = 128};
  setrlimit(RLIMIT_NOFILE, &few);
  Setting s(name, {.max_connections = 10'000});
  UniqueFd last(dup(0));
  std::deque<Peer> peers;
  while (peers.empty() || peers.back().connected()) peers.emplace_back(s.port());
  last.reset();
  peers.emplace_back(s.port());  // takes it, so that none is left for the server's end
  until([&] { return s.server->server_counters().connections_dropped > 0; });
  until([&] {  // the count comes before the answer
    return std::any_of(peers.begin(), peers.end(), [](Peer& peer) {
      pollfd readable{peer.fd(), POLLIN, 0};
      return peer.connected() && poll(&readable, 1, 0) == 1 && peer.receive().status == 503;
    });
  });
  peers.clear();
  s.wait_until_connected(0);
  return Peer(s.port()).get("/hello").status == 200;
}

TEST_P(Limited, running_out_of_descriptors_is_survived) {
  // In a process of its own, which has few of them.
  EXPECT_EXIT(_exit(survives_without_descriptors(GetParam()) ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Servers, Limited, kServers, server_name);

}  // namespace
}  // namespace parkbench::server::testing
