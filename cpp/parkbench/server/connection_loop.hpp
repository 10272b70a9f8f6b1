#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "parkbench/base/timer_queue.hpp"
#include "parkbench/base/unique_function.hpp"
#include "parkbench/io/poller.hpp"
#include "parkbench/models/books.hpp"
#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/server/connection_table.hpp"
#include "parkbench/server/event_connection.hpp"
#include "parkbench/server/listener.hpp"
#include "parkbench/server/options.hpp"
#include "parkbench/server/request_tally.hpp"
#include "parkbench/server/server.hpp"
#include "parkbench/service/pages.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::server {

/// What all connections of a server share.
struct Shared {
  const ServerOptions& options;
  const int max_connections;
  workload::Resources& resources;
  const service::Pages& pages;
  models::Books& books;
  ConnectionTable& table;
  RequestTally& tally;

  ServerCounters counters(std::uint64_t dropped) const;
};

/// Nobody is told of an answer: it went to the client.
struct NoSink final : models::AnswerSink {
  void answer(measure::Request&) override {}
};

/// An event loop that takes connections from a listener of its own, and keeps their time limits.
///
/// The kernel spreads connections over the listeners of a port by a hash: of 64 on two loops 38 and 26 is nothing rare,
/// and kept alive they stay so, the one loop full and the other half idle. So a loop gives what it took to the one of
/// its peers that has the fewest.
///
/// A time limit is no timer per request: each connection has one place in a heap and is armed for the first time limit;
/// when that comes and the session's deadline lies later, it is armed again.
class ConnectionLoop final : private io::ReadyWaiter, private reactive::Task {
 public:
  /// Makes a connection, which ends itself.
  using Make = UniqueFunction<EventConnection&(UniqueFd fd, Ns now)>;
  using Peers = std::span<const std::unique_ptr<ConnectionLoop>>;

  /// Listens from now on; takes connections after start(). @param shared_port one of several loops on a port.
  /// @throws Failure as Listener.
  ConnectionLoop(reactive::EventLoop& loop, const ServerOptions& options, bool shared_port, Shared& shared);
  ConnectionLoop(const ConnectionLoop&) = delete;
  ConnectionLoop& operator=(const ConnectionLoop&) = delete;

  /// The requests of this loop are numbered from first_number on, in steps.
  /// @param peers the loops of the same server, this one among them, or none; they outlive this loop's run.
  void start(Make make, std::uint64_t first_number, std::uint64_t number_step, Peers peers = {});
  /// Takes no more connections, closes idle ones, and returns when all are closed, which their time limits see to.
  /// Not from the loop's thread.
  void stop();

  std::uint16_t port() const { return listener_.port(); }
  std::uint64_t dropped() const { return listener_.dropped(); }
  std::int64_t waiting() const { return listener_.waiting(); }
  /// Connections open here or on the way here; from any thread.
  std::int64_t connections() const { return placed_.load(std::memory_order_relaxed); }
  reactive::EventLoop& loop() { return loop_; }
  Shared& shared() { return shared_; }
  bool stopping() const { return stopping_.load(std::memory_order_acquire); }
  /// The next request's number; on the loop's thread.
  std::uint64_t next_number() { return number_ += number_step_; }

 private:
  friend class EventConnection;

  void on_ready(Ns told) override;
  void run() override { take(); }
  void take();
  std::int64_t placed_in_all() const;
  void place(UniqueFd fd);
  void open(UniqueFd fd);
  void wind_down();
  void join(EventConnection& connection);
  void leave(EventConnection& connection);
  /// Has time_is_up called at the deadline, or well before.
  void limit(EventConnection& connection, Deadline deadline, Ns now);
  void set_alarm();

  reactive::EventLoop& loop_;
  Shared& shared_;
  Listener listener_;
  const Ns shortest_limit_;
  Make make_;
  io::Watch* watch_ = nullptr;
  std::uint64_t number_ = 0;
  std::uint64_t number_step_ = 1;
  EventConnection* first_ = nullptr;
  TimerQueue deadlines_;
  Deadline alarm_ = Deadline::never();
  Peers peers_;
  std::atomic<std::int64_t> placed_{0};  // open here, or on the way from a peer
  std::atomic<std::int64_t> open_{0};
  std::atomic<bool> started_{false};
  std::atomic<bool> stopping_{false};
};

}  // namespace parkbench::server
