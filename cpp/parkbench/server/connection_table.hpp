#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>

#include "parkbench/base/clock.hpp"
#include "parkbench/service/route.hpp"

namespace parkbench::server {

/// What one connection does now, written by its server, read by /dump and the reaper; embedded in the connection.
struct ConnectionEntry {
  enum class State : std::uint8_t { idle, reading, handling, writing };
  std::atomic<State> state{State::idle};
  std::atomic<service::Route::Kind> route{service::Route::Kind::hello};
  std::atomic<Ns> since{0};                                 // of the state
  std::atomic<Ns> give_up{std::numeric_limits<Ns>::max()};  // when the present read or write has taken too long
  std::atomic<std::uint64_t> number{0};                     // of the request
  std::uint64_t id = 0;                                     // set by add(), from 1
  int fd = -1;
  ConnectionEntry* next = nullptr;
  ConnectionEntry* previous = nullptr;

  void enter(State s, Ns at) {
    state.store(s, std::memory_order_relaxed);
    since.store(at, std::memory_order_relaxed);
  }
};
std::string_view to_string(ConnectionEntry::State state);

/// The open connections of a server. Locked when one comes or goes and by whoever reads, never per request.
class ConnectionTable {
 public:
  void add(ConnectionEntry& entry);
  void remove(ConnectionEntry& entry);
  std::int64_t size() const { return size_.load(std::memory_order_acquire); }
  std::uint64_t total() const { return total_.load(std::memory_order_relaxed); }
  /// f(ConnectionEntry&) for each, under the lock: it must not park.
  template <class F>
  void each(F f) const {
    const std::lock_guard lock(mutex_);
    for (ConnectionEntry* entry = first_; entry != nullptr; entry = entry->next) f(*entry);
  }
  /// `{"connections": [{"id", "state", "route", "request", "for_ms"}...], "in_flight": n}`; at most 10,000 of them are
  /// listed, in_flight counts all that handle or write.
  std::string dump(Ns now) const;

 private:
  mutable std::mutex mutex_;
  ConnectionEntry* first_ = nullptr;
  std::atomic<std::int64_t> size_{0};
  std::atomic<std::uint64_t> total_{0};
};

}  // namespace parkbench::server
