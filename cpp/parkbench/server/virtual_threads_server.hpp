#pragma once

#include <atomic>

#include "parkbench/models/books.hpp"
#include "parkbench/server/connection_table.hpp"
#include "parkbench/server/listener.hpp"
#include "parkbench/server/pages.hpp"
#include "parkbench/server/parked_connection.hpp"
#include "parkbench/server/request_tally.hpp"
#include "parkbench/server/server.hpp"
#include "parkbench/virtual_threads/parking_waiter.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"
#include "parkbench/virtual_threads/semaphore.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::server {

/// The virtual_threads model as a service: one virtual thread per connection, one that accepts, and one, the reaper,
/// that looks for connections whose time is up.
class VirtualThreadsServer final : public Server {
 public:
  /// @param scheduler its clock is replaced by the resources'. @param resources must outlive the server.
  /// @throws Failure as Listener, or out_of_memory.
  VirtualThreadsServer(const ServerOptions& options, virtual_threads::SchedulerOptions scheduler,
                       workload::Resources& resources);
  ~VirtualThreadsServer() override;

  std::uint16_t port() const override { return listener_.port(); }
  ServerCounters server_counters() const override;
  std::int64_t accept_queue() const override { return listener_.waiting(); }
  models::Counters counters() const override;
  std::string_view guard_mode() const override { return scheduler_.guard_mode(); }
  std::vector<int> thread_ids() const override;
  void stop() override;

 private:
  friend class ParkedConnection;
  /// Nobody is told of an answer: it went to the client.
  struct NoSink final : models::AnswerSink {
    void answer(measure::Request&) override {}
  };

  const Clock& clock() const { return resources_.clock; }
  bool stopping() const { return stopping_.load(); }
  std::uint64_t next_number() { return numbers_.fetch_add(1, std::memory_order_relaxed); }
  void accept_connections();
  void take(UniqueFd fd);
  void reap();
  void connection_is_gone();

  const ServerOptions options_;
  const std::int64_t max_connections_;
  workload::Resources& resources_;
  NoSink sink_;
  models::Books books_;
  ConnectionTable table_;
  RequestTally tally_;
  ServerPages pages_;
  Listener listener_;
  alignas(64) std::atomic<std::uint64_t> numbers_{0};
  alignas(64) std::atomic<bool> stopping_{false};
  virtual_threads::Semaphore wind_down_{0};  // tells acceptor and reaper that there is something to end
  virtual_threads::Scheduler scheduler_;
  virtual_threads::ParkingWaiter waiter_;  // of requests
  virtual_threads::ParkingWaiter quiet_;   // of what is no request
  io::IoSource incoming_;
  io::Watch& incoming_watch_;
};

}  // namespace parkbench::server
