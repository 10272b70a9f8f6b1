#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "parkbench/reactive/loop_group.hpp"
#include "parkbench/server/connection_loop.hpp"
#include "parkbench/server/options.hpp"
#include "parkbench/service/pages.hpp"
#include "parkbench/workload/options.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::server {

/// What stands behind the gateway: answers anything with `downstream ok` after a delay; `/sleep?ms=N` says itself how
/// long. Event loops with plain callbacks and timers, so that it never is the bottleneck.
class DownstreamServer {
 public:
  /// Listens and serves from now on. @param loops at least 1. @param clock must outlive the server.
  /// @throws Failure as Listener; std::invalid_argument when loops is below 1.
  DownstreamServer(const ServerOptions& options, const workload::Delay& delay, int loops,
                   const Clock& clock = SteadyClock::instance());
  DownstreamServer(const DownstreamServer&) = delete;
  DownstreamServer& operator=(const DownstreamServer&) = delete;
  ~DownstreamServer();

  std::uint16_t port() const { return places_.front()->port(); }
  /// From when on the delay's times count; the base delay holds until then. Any thread.
  void window_opened(Ns at) { window_opened_.store(at, std::memory_order_relaxed); }
  std::uint64_t requests() const { return tally_.requests(); }
  std::int64_t connections() const { return table_.size(); }
  /// Answers what is in flight, then closes everything. May be repeated.
  void stop();

 private:
  class Connection;
  struct NoPages final : service::Pages {
    std::string metrics() const override { return {}; }
    std::string dump() const override { return {}; }
  };
  /// How long a request takes; negative: it asks for something impossible.
  Ns delay_of(const http::Request& request, std::uint64_t number, Ns now) const;

  const ServerOptions options_;
  const workload::Delay delay_;
  std::atomic<Ns> window_opened_{0};
  workload::Resources resources_;
  NoSink sink_;
  models::Books books_;
  ConnectionTable table_;
  RequestTally tally_;
  NoPages pages_;
  Shared shared_;
  reactive::LoopGroup loops_;
  std::vector<std::unique_ptr<ConnectionLoop>> places_;  // one per loop
};

}  // namespace parkbench::server
