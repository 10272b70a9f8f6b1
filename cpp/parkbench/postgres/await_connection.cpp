#include "parkbench/postgres/await_connection.hpp"

#include <atomic>
#include <string>
#include <vector>

#include "parkbench/postgres/await_query.hpp"

namespace parkbench::postgres {
namespace {

using measure::Phase;

/// A place in line for code that parks.
class ParkedInLine final : public PoolWaiter {
 public:
  explicit ParkedInLine(io::Waiter& waiter) : unparker_(waiter.unparker()) {}

  void granted(Connection& connection, Ns at) override {
    connection_ = &connection;
    at_ = at;
    tell();
  }
  void failed(const Error& error) override {
    error_ = error;
    tell();
  }

  bool told() const { return told_.load(std::memory_order_acquire); }
  Connection* connection() const { return connection_; }
  Ns at() const { return at_; }
  const Error& error() const { return error_; }

 private:
  void tell() {
    const io::Unparker unparker = unparker_;
    told_.store(true, std::memory_order_release);  // from here the waiter may be gone, and this object with it
    unparker.unpark();
  }

  const io::Unparker unparker_;
  Connection* connection_ = nullptr;
  Ns at_ = 0;
  Error error_;
  std::atomic<bool> told_{false};
};

/// Parks until the node was told. False: the deadline passed and the node is out of the line.
bool park_in_line(ConnectionPool& pool, ParkedInLine& place, io::Waiter& waiter, Deadline deadline, io::Woken& woken) {
  while (!place.told()) {
    woken = waiter.park(deadline, io::WaitReason::connection);
    if (!woken.timed_out || place.told()) continue;
    if (pool.cancel(place)) return false;
    deadline = Deadline::never();  // a grant is on its way: it must be taken, else its connection is lost
  }
  return true;
}

}  // namespace

Error pool_timeout(const ConnectionPool& pool) {
  const PoolCounters now = pool.counters();
  return {ErrorCode::pool_timeout, "no connection became free in time: " + std::to_string(now.in_use) + " of " +
                                       std::to_string(now.size) + " connections in use, " +
                                       std::to_string(now.waiting) + " requests waiting"};
}

Lease acquire(ConnectionPool& pool, io::Waiter& waiter, Deadline deadline, measure::PhaseTrace& trace) {
  const Clock& clock = waiter.clock();
  const Ns asked = clock.now();
  trace.turn(Phase::connection, asked);
  ParkedInLine place(waiter);
  Connection* connection = pool.acquire_or_wait(place, asked);
  Ns running = 0;  // 0: nothing was waited for
  if (connection == nullptr) {
    io::Woken woken;
    const bool told = park_in_line(pool, place, waiter, deadline, woken);
    running = woken.running != 0 ? woken.running : clock.now();
    if (!told || place.connection() == nullptr) {
      trace.turn(Phase::cpu, running);
      throw Failure(told ? place.error() : pool_timeout(pool));
    }
    connection = place.connection();
    trace.end(place.at());
    trace.add(Phase::wakeup, place.at(), running);
  }
  Lease lease(pool, *connection);
  const bool handed_over = running != 0;
  // A connection straight from another request's hands was alive a moment ago; an idle one is looked at.
  if (handed_over && connection->ready()) {
    trace.begin(Phase::cpu, running);
    return lease;
  }
  if (handed_over) trace.begin(Phase::connection, running);
  try {
    ensure_connected(*connection, pool.statements(), waiter, deadline);
  } catch (...) {
    trace.turn(Phase::cpu, clock.now());
    throw;
  }
  trace.turn(Phase::cpu, clock.now());
  return lease;
}

void open_all(ConnectionPool& pool, io::Waiter& waiter, Deadline deadline) {
  measure::PhaseTrace uncounted;
  std::vector<Lease> all;
  for (std::int64_t i = 0; i < pool.counters().size; ++i) all.push_back(acquire(pool, waiter, deadline, uncounted));
}

}  // namespace parkbench::postgres
