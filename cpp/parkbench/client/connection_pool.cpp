#include "parkbench/client/connection_pool.hpp"

#include <memory>
#include <utility>

namespace parkbench::client {
namespace {

const Error kClosed{ErrorCode::cancelled, "the client was closed"};

}  // namespace

ConnectionPool::ConnectionPool(Address address, int limit, const Clock& clock)
    : address_(std::move(address)), limit_(limit), clock_(clock) {}

ConnectionPool::~ConnectionPool() { close(); }

ConnectionPool::Home& ConnectionPool::home_of(const void* poller) {
  for (Home& home : homes_) {
    if (home.poller == poller) return home;
  }
  return homes_.emplace_back(Home{poller, nullptr});
}

/// Under the lock. An idle one of this home, a new one, at the limit an idle one from elsewhere, or none.
Connection* ConnectionPool::take(const void* poller) {
  Home* from = &home_of(poller);
  if (from->idle == nullptr && limit_ > 0 && counters_.connections >= limit_) {
    for (Home& home : homes_) {
      if (home.idle != nullptr) from = &home;
    }
    if (from->idle == nullptr) return nullptr;
  }
  Connection* connection = from->idle;
  if (connection != nullptr) {
    from->idle = connection->next_;
  } else {
    connection = std::make_unique<Connection>(address_).release();
    ++counters_.connections;
  }
  connection->home_ = poller;
  ++counters_.in_use;
  ++counters_.acquired;
  return connection;
}

Connection* ConnectionPool::acquire_or_wait(const void* home, PoolWaiter& waiter) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      // Nobody overtakes: while there is a line, nothing is free.
      if (Connection* const connection = take(home)) return connection;
      waiter.previous_ = last_;
      waiter.next_ = nullptr;
      waiter.in_line_ = true;
      (last_ == nullptr ? first_ : last_->next_) = &waiter;
      last_ = &waiter;
      ++counters_.waiting;
      return nullptr;
    }
  }
  waiter.failed(kClosed);
  return nullptr;
}

Connection* ConnectionPool::try_acquire(const void* home) {
  const std::lock_guard lock(mutex_);
  return closed_ ? nullptr : take(home);
}

bool ConnectionPool::cancel(PoolWaiter& waiter) {
  const std::lock_guard lock(mutex_);
  if (!waiter.in_line_) return false;
  unlink(waiter);
  return true;
}

void ConnectionPool::release(Connection& connection) {
  connection.recycle();
  PoolWaiter* next = nullptr;
  std::unique_ptr<Connection> ended;
  {
    const std::lock_guard lock(mutex_);
    ++counters_.released;
    next = first_;
    if (next != nullptr) {
      unlink(*next);
      ++counters_.acquired;
    } else {
      --counters_.in_use;
      if (connection.is_open() && !closed_) {
        Home& home = home_of(connection.home_);
        connection.next_ = home.idle;
        home.idle = &connection;
      } else {
        --counters_.connections;
        ended.reset(&connection);
      }
    }
  }
  if (next != nullptr) next->granted(connection, clock_.now());
}

void ConnectionPool::close() {
  std::vector<PoolWaiter*> failing;
  std::vector<std::unique_ptr<Connection>> ended;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    while (PoolWaiter* const waiter = first_) {
      unlink(*waiter);
      failing.push_back(waiter);
    }
    for (Home& home : homes_) {
      while (Connection* const connection = home.idle) {
        home.idle = connection->next_;
        ended.emplace_back(connection);
      }
    }
    counters_.connections -= static_cast<std::int64_t>(ended.size());
  }
  for (PoolWaiter* const waiter : failing) waiter->failed(kClosed);
}

void ConnectionPool::count_stale_retry() {
  const std::lock_guard lock(mutex_);
  ++counters_.stale_retries;
}

PoolCounters ConnectionPool::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

void ConnectionPool::unlink(PoolWaiter& waiter) {
  (waiter.previous_ == nullptr ? first_ : waiter.previous_->next_) = waiter.next_;
  (waiter.next_ == nullptr ? last_ : waiter.next_->previous_) = waiter.previous_;
  waiter.in_line_ = false;
  --counters_.waiting;
}

}  // namespace parkbench::client
