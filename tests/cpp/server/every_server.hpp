#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "parkbench/server/reactive_server.hpp"
#include "parkbench/server/thread_pool_server.hpp"
#include "parkbench/server/virtual_threads_server.hpp"
#include "server/peer.hpp"

namespace parkbench::server::testing {

inline workload::Options sleeping() {
  workload::Options options;
  options.kind = workload::Kind::sleep;
  options.sleep = 5 * kMillisecond;
  return options;
}

/// One of the three servers, by the name of its model, on a free port; small enough that tests reach its limits.
struct Setting {
  explicit Setting(const std::string& name, ServerOptions options = {}, workload::Options work = sleeping())
      : resources(std::move(work), SteadyClock::instance()) {
    resources.connect(Deadline::at(resources.clock.now() + 20 * kSecond));
    if (name == "thread_pool") {
      server = std::make_unique<ThreadPoolServer>(options, thread_pool::ThreadPoolOptions{.workers = 4, .queue = 1'000},
                                                  resources);
    } else if (name == "virtual_threads") {
      server = std::make_unique<VirtualThreadsServer>(
          options, virtual_threads::SchedulerOptions{.carriers = 2, .uncaught = {}}, resources);
    } else {
      server = std::make_unique<ReactiveServer>(options, 2, resources);
    }
  }
  ~Setting() {
    server->stop();
    resources.close();
  }

  std::uint16_t port() const { return server->port(); }
  void wait_until_held(std::int64_t requests) {
    until([&] { return server->counters().held == requests; });
  }
  /// Sends a request that sleeps, half a second or as long as it must be to be seen under way; its answer is to come.
  void hold(Peer& peer) {
    for (int ms = 500;; ms *= 2) {
      const std::uint64_t before = server->server_counters().requests;
      peer.send(request("/sleep?ms=" + std::to_string(ms)));
      until([&] { return server->counters().held == 1 || server->server_counters().requests > before; });
      if (server->counters().held == 1) return;
      peer.receive();
    }
  }
  void wait_until_connected(std::int64_t connections) {
    until([&] { return server->server_counters().connections == connections; });
  }

  workload::Resources resources;
  std::unique_ptr<Server> server;
};

class EveryServer : public ::testing::TestWithParam<std::string> {};

inline const auto kServers = ::testing::Values("thread_pool", "virtual_threads", "reactive");
inline std::string server_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace parkbench::server::testing
