#include "parkbench/server/virtual_threads_server.hpp"

#include <algorithm>
#include <memory>

#include "parkbench/models/thread_counts.hpp"

namespace parkbench::server {

using Accepted = Listener::Accepted;

namespace {

virtual_threads::SchedulerOptions with_clock(virtual_threads::SchedulerOptions options, const Clock& clock) {
  options.clock = &clock;
  return options;
}

/// How often the reaper looks: a limit is overdrawn by a tenth at most, and 5,000 connections take it 0.5 ms a look.
Ns look_every(const http::Limits& limits) {
  const Ns shortest =
      std::min({limits.header_time, limits.body_time, limits.idle_time, limits.write_time, limits.linger_time});
  return std::clamp(shortest / 10, 10 * kMillisecond, kSecond);
}

}  // namespace

VirtualThreadsServer::VirtualThreadsServer(const ServerOptions& options, virtual_threads::SchedulerOptions scheduler,
                                           workload::Resources& resources)
    : options_(options),
      max_connections_(connection_limit(options)),
      resources_(resources),
      books_(sink_, options.limit),
      pages_("virtual_threads", *this, table_, tally_, resources),
      listener_(options, false, resources.clock),
      wind_down_(0, resources.clock),
      scheduler_(with_clock(std::move(scheduler), resources.clock)),
      waiter_(scheduler_),
      quiet_(scheduler_, virtual_threads::ParkingWaiter::Counts::no),
      incoming_(listener_.fd()),
      incoming_watch_(incoming_.watch_at(scheduler_.poller())) {
  scheduler_.start([this] { accept_connections(); });
  scheduler_.start([this] { reap(); });
}

VirtualThreadsServer::~VirtualThreadsServer() { stop(); }

void VirtualThreadsServer::accept_connections() {
  constexpr int kBetweenYields = 16;  // 10 us each, then those that have requests go first
  for (int taken = 0; !stopping();) {
    Accepted accepted = listener_.accept();
    switch (accepted.kind) {
      case Accepted::Kind::connection:
        take(std::move(accepted.fd));
        if (++taken % kBetweenYields == 0) virtual_threads::yield();
        break;
      case Accepted::Kind::none:
        quiet_.wait_ready(incoming_, io::Interest::read, Deadline::never());
        break;
      case Accepted::Kind::pause:
        wind_down_.acquire_until(Deadline::at(accepted.resume_at));
        break;
    }
  }
  incoming_.detach();
  listener_.close();  // whoever comes now is refused by the kernel
}

void VirtualThreadsServer::take(UniqueFd fd) {
  if (table_.size() >= max_connections_) {
    listener_.refuse(std::move(fd));
    return;
  }
  try {
    scheduler_.start(&ParkedConnection::run, std::make_unique<ParkedConnection>(*this, std::move(fd)).release());
  } catch (const std::exception& error) {  // no memory, or the kernel watches no more descriptors
    resources_.errors.keep({ErrorCode::out_of_memory, error.what()});
  }
}

void VirtualThreadsServer::reap() {
  const Ns period = look_every(options_.limits);
  while (!stopping() || table_.size() > 0) {
    const Ns now = clock().now();
    table_.each([now](ConnectionEntry& entry) {
      auto& connection = static_cast<ParkedConnection&>(entry);
      if (!connection.time_is_up(now)) return;
      const bool writes = entry.state.load(std::memory_order_relaxed) == ConnectionEntry::State::writing;
      connection.nudge(writes ? io::Interest::write : io::Interest::read, now);
    });
    wind_down_.acquire_until(Deadline::at(now + period));
  }
}

void VirtualThreadsServer::connection_is_gone() {
  if (stopping()) wind_down_.release();
}

void VirtualThreadsServer::stop() {
  if (stopping_.exchange(true)) return;
  const Ns now = clock().now();
  wind_down_.release(2);
  incoming_watch_.nudge(io::Interest::read, now);
  // All of them, whatever their state: one that is about to wait has perhaps looked at stopping_ already.
  table_.each([now](ConnectionEntry& entry) { static_cast<ParkedConnection&>(entry).nudge(io::Interest::read, now); });
  scheduler_.stop();
}

ServerCounters VirtualThreadsServer::server_counters() const {
  ServerCounters counters;
  counters.connections = table_.size();
  counters.connections_total = table_.total();
  counters.connections_dropped = listener_.dropped();
  counters.requests = tally_.requests();
  counters.bad_requests = tally_.bad();
  return counters;
}

models::Counters VirtualThreadsServer::counters() const {
  models::Counters counters;
  models::add_carriers(counters, scheduler_);
  models::add_pins(counters, resources_);
  books_.report(counters);
  return counters;
}

std::vector<int> VirtualThreadsServer::thread_ids() const {
  std::vector<int> ids;
  for (const auto& cell : scheduler_.cells()) ids.push_back(cell.thread_id.load());
  return ids;
}

}  // namespace parkbench::server
