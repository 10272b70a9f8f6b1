#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/error.hpp"
#include "parkbench/client/address.hpp"
#include "parkbench/client/connection.hpp"

namespace parkbench::client {

/// A place in the pool's line, embedded in whoever waits, so that waiting allocates nothing. Called at most once, with
/// one of the two, on the thread of whoever released or closed, without the pool's lock. The pool does not touch the
/// node after the call has begun.
class PoolWaiter {
 public:
  virtual ~PoolWaiter() = default;
  /// The connection is the waiter's, open or to be opened. @param at when it was handed over.
  virtual void granted(Connection& connection, Ns at) = 0;
  virtual void failed(const Error& error) = 0;

 private:
  friend class ConnectionPool;
  PoolWaiter* previous_ = nullptr;
  PoolWaiter* next_ = nullptr;
  bool in_line_ = false;
};

/// The pool's figures at one moment.
struct PoolCounters {
  std::int64_t connections = 0;  // in use and idle
  std::int64_t in_use = 0;
  std::int64_t waiting = 0;
  std::uint64_t acquired = 0;
  std::uint64_t released = 0;
  std::uint64_t stale_retries = 0;  // calls tried again because a kept connection had been closed by the server
};

/// Keep-alive connections to one address, made as they are needed, the last one released first: its memory is warm.
/// With a limit, who finds none free stands in line, first come, first served. Thread-safe, one short lock each time.
///
/// Idle connections are kept by home, the poller that watches them, so that a call on an event loop costs no epoll_ctl;
/// only at the limit is one taken from another home.
class ConnectionPool {
 public:
  /// @param limit most connections at once; 0: as many as are asked for.
  ConnectionPool(Address address, int limit, const Clock& clock);
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;
  /// @pre nothing in use, nobody in line.
  ~ConnectionPool();

  /// A connection, open or to be opened; null: the waiter is in line (or, after close(), has been failed already).
  /// @param home the poller of the caller; null for callers without one of their own.
  Connection* acquire_or_wait(const void* home, PoolWaiter& waiter);
  /// The same without standing in line: null when none is free.
  Connection* try_acquire(const void* home);
  /// Leaves the line. False: the waiter is being or has been called, and owns what it was given.
  bool cancel(PoolWaiter& waiter);
  /// Gives a connection back: kept when its last call went well, else it was closed and makes room for another.
  void release(Connection& connection);
  /// Fails everybody in line with `cancelled`, and all who come later; ends idle connections now, and those in use when
  /// they come back. Call it while the pollers still live: connections are registered there.
  void close();

  void count_stale_retry();
  PoolCounters counters() const;
  const Address& address() const { return address_; }
  const Clock& clock() const { return clock_; }

 private:
  struct Home {
    const void* poller;
    Connection* idle;
  };
  Home& home_of(const void* poller);
  Connection* take(const void* home);
  void unlink(PoolWaiter& waiter);

  const Address address_;
  const int limit_;
  const Clock& clock_;

  mutable std::mutex mutex_;  // guards all below
  std::vector<Home> homes_;   // one per loop: few
  PoolWaiter* first_ = nullptr;
  PoolWaiter* last_ = nullptr;
  PoolCounters counters_;
  bool closed_ = false;
};

}  // namespace parkbench::client
