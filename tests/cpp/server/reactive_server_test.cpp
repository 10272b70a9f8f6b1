#include "parkbench/server/reactive_server.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <stdexcept>

#include "parkbench/measure/process_usage.hpp"
#include "server/every_server.hpp"

namespace parkbench::server::testing {
namespace {

bool some_state(Peer& watcher, const std::string& state) {
  return watcher.get("/dump").body.find("\"state\": \"" + state + "\", \"route\": \"/stream\"") != std::string::npos;
}

TEST(ReactiveServer, makes_no_rows_that_the_socket_does_not_take) {
  Setting s("reactive");
  Peer reader(s.port(), 4096);
  Peer watcher(s.port());
  const std::int64_t before = measure::read_process_usage().resident_bytes;
  // 1 GB of rows: made without demand they would all be made before the first is sent.
  reader.send(request("/stream?rows=10000000"));
  until([&] { return some_state(watcher, "writing"); });
  EXPECT_EQ(s.server->counters().held, 1) << "the stream has not ended";
  EXPECT_LT(measure::read_process_usage().resident_bytes - before, 64 * 1024 * 1024);
  reader.reset();
  s.wait_until_held(0);
  s.wait_until_connected(1);
}

TEST(ReactiveServer, a_reader_that_goes_on_gets_every_row_in_order) {
  Setting s("reactive");
  Peer reader(s.port(), 4096);
  Peer watcher(s.port());
  reader.send(request("/stream?rows=100000"));
  until([&] { return some_state(watcher, "writing"); });
  const Answer answer = reader.receive();
  std::size_t at = 0;
  for (int row = 1; row <= 100'000; ++row) {
    const std::string id = "id: " + std::to_string(row) + "\n";
    ASSERT_EQ(answer.body.compare(at, id.size(), id), 0) << row;
    at = answer.body.find("\n\n", at) + 2;
  }
  EXPECT_EQ(at, answer.body.size());
  EXPECT_EQ(reader.get("/hello").status, 200);
}

TEST(ReactiveServer, a_stream_ends_when_its_reader_goes_though_no_row_is_due) {
  auto work = sleeping();
  work.row_every = 3'600 * kSecond;
  Setting s("reactive", {}, work);
  for (int i = 0; i < 10; ++i) {
    Peer reader(s.port());
    reader.send(request("/stream?rows=3"));
    std::array<char, 1> first;
    ASSERT_EQ(recv(reader.fd(), first.data(), first.size(), 0), 1);
    s.wait_until_held(1);
    reader.reset();
    s.wait_until_held(0);
    s.wait_until_connected(0);
  }
  EXPECT_EQ(s.server->counters().requests_waiting[static_cast<std::size_t>(io::WaitReason::app_wait)], 0);
}

TEST(ReactiveServer, half_a_close_does_not_end_a_stream) {
  auto work = sleeping();
  work.row_every = 20 * kMillisecond;
  Setting s("reactive", {}, work);
  Peer reader(s.port());
  reader.send(request("/stream?rows=3"));
  reader.finish_sending();
  EXPECT_NE(reader.receive().body.find("id: 3\n"), std::string::npos);
  EXPECT_TRUE(reader.at_end());
}

TEST(ReactiveServer, waits_for_a_thousand_requests_on_two_threads) {
  Setting s("reactive");
  std::deque<Peer> peers;
  for (int i = 0; i < 1'000; ++i) peers.emplace_back(s.port()).send(request("/sleep?ms=200"));
  for (Peer& peer : peers) EXPECT_EQ(peer.receive().body, "slept");
  const auto threads = s.server->counters().threads;
  EXPECT_EQ(std::accumulate(threads.begin(), threads.end(), std::int64_t{0}), 2);
  EXPECT_EQ(s.server->thread_ids().size(), 2U);
  EXPECT_EQ(s.server->server_counters().requests, 1'000U);
  s.wait_until_held(0);
}

TEST(ReactiveServer, spreads_connections_evenly_over_its_loops) {
  Setting s("reactive");
  std::deque<Peer> peers;
  for (int i = 0; i < 64; ++i) {
    ASSERT_EQ(peers.emplace_back(s.port()).get("/hello").status, 200);
  }
  const auto& server = dynamic_cast<const ReactiveServer&>(*s.server);
  EXPECT_EQ(server.connections_by_loop(), (std::vector<std::int64_t>{32, 32}));
  peers.clear();
  s.wait_until_connected(0);
  until([&] { return server.connections_by_loop() == std::vector<std::int64_t>{0, 0}; });
}

TEST(ReactiveServer, needs_a_loop) {
  workload::Resources resources(sleeping(), SteadyClock::instance());
  EXPECT_THROW(ReactiveServer({}, 0, resources), std::invalid_argument);
}

}  // namespace
}  // namespace parkbench::server::testing
