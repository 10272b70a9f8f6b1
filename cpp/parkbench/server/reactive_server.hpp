#pragma once

#include <memory>
#include <vector>

#include "parkbench/reactive/loop_group.hpp"
#include "parkbench/server/connection_loop.hpp"
#include "parkbench/server/pages.hpp"
#include "parkbench/server/server.hpp"

namespace parkbench::server {

/// The reactive model as a service: one event loop per CPU, each with a listener of its own on the same port. A request
/// is a Mono, subscribed to on its connection's loop; a stream is a Flux, of which no more is asked for than the socket
/// takes.
class ReactiveServer final : public Server {
 public:
  /// @param loops at least 1. @param resources must outlive the server.
  /// @throws Failure as Listener; std::invalid_argument when loops is below 1.
  ReactiveServer(const ServerOptions& options, int loops, workload::Resources& resources);
  ~ReactiveServer() override;

  std::uint16_t port() const override { return places_.front()->port(); }
  ServerCounters server_counters() const override;
  std::int64_t accept_queue() const override;
  void begin_window() override;
  models::Counters counters() const override;
  std::vector<int> thread_ids() const override;
  /// Open connections of each loop; even as they come, whatever goes later.
  std::vector<std::int64_t> connections_by_loop() const;
  void stop() override;

 private:
  class Connection;

  const ServerOptions options_;
  NoSink sink_;
  models::Books books_;
  ConnectionTable table_;
  RequestTally tally_;
  ServerPages pages_;
  Shared shared_;
  mutable reactive::LoopGroup loops_;
  std::vector<std::unique_ptr<ConnectionLoop>> places_;  // one per loop
};

}  // namespace parkbench::server
