#include "parkbench/postgres/connection_pool.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace parkbench::postgres {
namespace {

const Error kClosed{ErrorCode::cancelled, "the connection pool was closed"};

}  // namespace

ConnectionPool::ConnectionPool(const Dsn& dsn, int size, std::vector<Statement> statements, const Clock& clock)
    : statements_(std::move(statements)), clock_(clock) {
  const auto address = std::make_shared<const Dsn>(dsn.resolved());
  idle_.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) connections_.emplace_back(address, static_cast<std::uint32_t>(i));
  for (auto at = connections_.rbegin(); at != connections_.rend(); ++at) idle_.push_back(&*at);
}

ConnectionPool::~ConnectionPool() { close(); }

Connection* ConnectionPool::acquire_or_wait(PoolWaiter& waiter, Ns now) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      if (!idle_.empty()) {
        Connection* const connection = idle_.back();
        idle_.pop_back();
        ++acquired_;
        connection->taken_at_ = now;
        return connection;
      }
      waiter.previous_ = last_;
      waiter.next_ = nullptr;
      waiter.in_line_ = true;
      (last_ == nullptr ? first_ : last_->next_) = &waiter;
      last_ = &waiter;
      ++waiting_;
      return nullptr;
    }
  }
  waiter.failed(kClosed);
  return nullptr;
}

bool ConnectionPool::cancel(PoolWaiter& waiter) {
  const std::lock_guard lock(mutex_);
  if (!waiter.in_line_) return false;
  unlink(waiter);
  return true;
}

void ConnectionPool::release(Connection& connection) {
  if (connection.state() == ConnectionState::broken || connection.transaction_open()) connection.close();
  const Ns taken_at = connection.taken_at_;
  PoolWaiter* next = nullptr;
  {
    const std::lock_guard lock(mutex_);
    ++released_;
    stamped_ += std::exchange(connection.stamped_, 0);
    told_ += std::exchange(connection.told_, 0);
    next = pop_first();
    if (next == nullptr) {
      if (closed_) connection.close();
      idle_.push_back(&connection);
    } else {
      ++acquired_;
    }
  }
  const Ns now = clock_.now();  // not under the lock
  held_.fetch_add(now - taken_at, std::memory_order_relaxed);
  if (next == nullptr) return;
  connection.taken_at_ = now;
  next->granted(connection, now);
}

void ConnectionPool::close() {
  std::vector<PoolWaiter*> failing;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    while (PoolWaiter* const waiter = pop_first()) failing.push_back(waiter);
    for (Connection* const connection : idle_) connection->close();
  }
  for (PoolWaiter* const waiter : failing) waiter->failed(kClosed);
}

PoolCounters ConnectionPool::counters() const {
  const std::lock_guard lock(mutex_);
  return {.size = static_cast<std::int64_t>(connections_.size()),
          .in_use = static_cast<std::int64_t>(acquired_ - released_),
          .waiting = waiting_,
          .acquired = acquired_,
          .released = released_,
          .held = held_.load(std::memory_order_relaxed),
          .results_stamped = stamped_,
          .results_told = told_};
}

bool ConnectionPool::receive_times() const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [](const Connection& connection) { return connection.has_receive_times(); });
}

PoolWaiter* ConnectionPool::pop_first() {
  PoolWaiter* const waiter = first_;
  if (waiter != nullptr) unlink(*waiter);
  return waiter;
}

void ConnectionPool::unlink(PoolWaiter& waiter) {
  (waiter.previous_ == nullptr ? first_ : waiter.previous_->next_) = waiter.next_;
  (waiter.next_ == nullptr ? last_ : waiter.next_->previous_) = waiter.previous_;
  waiter.in_line_ = false;
  --waiting_;
}

}  // namespace parkbench::postgres
