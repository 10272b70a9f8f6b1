#include "parkbench/server/virtual_threads_server.hpp"

#include <deque>
#include <set>

#include "server/every_server.hpp"

namespace parkbench::server::testing {
namespace {

TEST(VirtualThreadsServer, parks_many_requests_on_two_carriers) {
  Setting s("virtual_threads");
  constexpr std::size_t kMany = 100;
  std::deque<Peer> peers;
  while (peers.size() < kMany) peers.emplace_back(s.port());
  models::Counters counters;
  // Longer sleeps until all are under way at once, which takes a slow machine some time.
  for (int ms = 200; counters.held < static_cast<std::int64_t>(kMany); ms *= 2) {
    const std::uint64_t all = s.server->server_counters().requests + kMany;
    for (Peer& peer : peers) peer.send(request("/sleep?ms=" + std::to_string(ms)));
    until([&] {
      counters = s.server->counters();
      return counters.held == static_cast<std::int64_t>(kMany) || s.server->server_counters().requests == all;
    });
    for (Peer& peer : peers) EXPECT_EQ(peer.receive().body, "slept");
  }
  EXPECT_EQ(counters.threads[0] + counters.threads[1], 2) << "carriers are idle or on a CPU, never blocked";
  const auto ids = s.server->thread_ids();
  EXPECT_EQ(std::set<int>(ids.begin(), ids.end()).size(), 2U);
  EXPECT_FALSE(s.server->guard_mode().empty());
}

TEST(VirtualThreadsServer, a_connection_without_a_request_is_none_that_waits) {
  Setting s("virtual_threads");
  Peer idle(s.port());
  EXPECT_EQ(idle.get("/hello").status, 200);
  Peer begun(s.port());
  begun.send("GET /he");
  s.wait_until_connected(2);
  const models::Counters counters = s.server->counters();
  EXPECT_EQ(counters.requests_waiting, (std::array<std::int64_t, io::kWaitReasons>{}));
  EXPECT_EQ(counters.held, 0);
}

TEST(VirtualThreadsServer, counts_the_pins_of_the_workload_file) {
  workload::Options options;
  options.kind = workload::Kind::file;
  Setting s("virtual_threads", {}, options);
  EXPECT_EQ(Peer(s.port()).get("/file").body, "read 65536");
  EXPECT_EQ(s.server->counters().pins, 1U);
}

TEST(VirtualThreadsServer, one_that_nobody_stops_ends_with_its_scope) {
  workload::Resources resources(sleeping(), SteadyClock::instance());
  VirtualThreadsServer server({}, {.uncaught = {}}, resources);
  EXPECT_EQ(Peer(server.port()).get("/hello").status, 200);
}

}  // namespace
}  // namespace parkbench::server::testing
