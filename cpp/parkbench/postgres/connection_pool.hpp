#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/error.hpp"
#include "parkbench/postgres/connection.hpp"
#include "parkbench/postgres/dsn.hpp"
#include "parkbench/postgres/statement.hpp"

namespace parkbench::postgres {

/// A place in the pool's line, embedded in whoever waits, so that waiting allocates nothing. Called at most once, with
/// one of the two, on the thread of whoever released or closed, without the pool's lock. The pool does not touch the
/// node after the call has begun, so the node may be gone as soon as its owner can see that it was called.
class PoolWaiter {
 public:
  virtual ~PoolWaiter() = default;
  /// The connection is the waiter's. @param at when it was handed over.
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
  std::int64_t size = 0;
  std::int64_t in_use = 0;
  std::int64_t waiting = 0;
  std::uint64_t acquired = 0;
  std::uint64_t released = 0;
  Ns held = 0;                        // by all leases that have ended
  std::uint64_t results_stamped = 0;  // statements whose result came at a time that the kernel has told
  std::uint64_t results_told = 0;     // when the waiter was told of it
};

/// A fixed number of connections, handed out first come, first served. A released connection goes straight to the
/// first in line: nobody overtakes. Thread-safe.
///
/// Connections are opened by their holders (ensure_connected, with the model's own way of waiting), so a connection
/// may be handed out closed: a broken one comes back to the next holder to be opened again.
class ConnectionPool {
 public:
  /// Resolves the host once, so it may block: for set-up.
  /// @param statements prepared on each connection when it is opened.
  ConnectionPool(const Dsn& dsn, int size, std::vector<Statement> statements, const Clock& clock);
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;
  /// @pre nothing in use, nobody in line.
  ~ConnectionPool();

  /// A free connection, or null: waiter is in line (or, after close(), has been failed already).
  /// @param now at which it is asked for.
  Connection* acquire_or_wait(PoolWaiter& waiter, Ns now);
  /// Leaves the line. False: the waiter is being or has been called, and owns what it was given.
  bool cancel(PoolWaiter& waiter);
  /// Gives a connection back. One that is broken or has a transaction open is closed first, so that the next holder
  /// never meets the remains; one that is still being opened stays so, for the next holder to go on with.
  void release(Connection& connection);
  /// Fails everybody in line with `cancelled`, and all who come later; closes idle connections now and those in use
  /// when they are released. Call it while the pollers of the models still live: connections are registered there.
  void close();

  PoolCounters counters() const;
  /// The kernel notes when it receives the answers. For set-up, when nothing is in use.
  bool receive_times() const;
  std::span<const Statement> statements() const { return statements_; }
  const Clock& clock() const { return clock_; }

 private:
  PoolWaiter* pop_first();
  void unlink(PoolWaiter& waiter);

  const std::vector<Statement> statements_;
  const Clock& clock_;
  std::deque<Connection> connections_;

  mutable std::mutex mutex_;       // guards all below
  std::vector<Connection*> idle_;  // the last released first: its memory is warm
  PoolWaiter* first_ = nullptr;
  PoolWaiter* last_ = nullptr;
  std::int64_t waiting_ = 0;
  std::uint64_t acquired_ = 0;
  std::uint64_t released_ = 0;
  std::atomic<Ns> held_{0};
  std::uint64_t stamped_ = 0;
  std::uint64_t told_ = 0;
  bool closed_ = false;
};

}  // namespace parkbench::postgres
