#include "parkbench/server/connection_loop.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "parkbench/base/parker.hpp"
#include "parkbench/reactive/callback.hpp"

namespace parkbench::server {
namespace {

Ns shortest(const http::Limits& limits) {
  return std::min({limits.header_time, limits.body_time, limits.idle_time, limits.write_time});
}

}  // namespace

ServerCounters Shared::counters(std::uint64_t dropped) const {
  return {.connections = table.size(),
          .connections_total = table.total(),
          .connections_dropped = dropped,
          .requests = tally.requests(),
          .bad_requests = tally.bad()};
}

ConnectionLoop::ConnectionLoop(reactive::EventLoop& loop, const ServerOptions& options, bool shared_port,
                               Shared& shared)
    : loop_(loop),
      shared_(shared),
      listener_(options, shared_port, loop.clock()),
      shortest_limit_(shortest(options.limits)) {}

void ConnectionLoop::start(Make make, std::uint64_t first_number, std::uint64_t number_step, Peers peers) {
  make_ = std::move(make);
  number_ = first_number - number_step;
  number_step_ = number_step;
  peers_ = peers;
  started_.store(true, std::memory_order_release);
  watch_ = &loop_.poller().add(listener_.fd());
  loop_.post(*this);
}

void ConnectionLoop::stop() {
  // Again and again: a connection whose request is being handled cannot be told, and one may just have been given back.
  constexpr Ns kShortestLook = kMillisecond;
  constexpr Ns kLongestLook = 20 * kMillisecond;
  stopping_.store(true, std::memory_order_release);
  Parker looked;
  Parker pause;
  for (Ns look = kShortestLook;; look = std::min(2 * look, kLongestLook)) {
    if (!loop_.post([this, &looked] {
          wind_down();
          looked.unpark();
        })) {
      return;
    }
    looked.park(loop_.clock(), Deadline::never());
    if (open_.load(std::memory_order_acquire) == 0) return;
    pause.park(loop_.clock(), Deadline::at(loop_.clock().now() + look));
  }
}

void ConnectionLoop::on_ready(Ns /*told*/) { take(); }

/// Takes connections until there are none: the poller speaks only of new ones.
void ConnectionLoop::take() {
  constexpr int kPerTurn = 64;  // then the open connections have their turn
  if (watch_ == nullptr) return;
  for (int taken = 0; !stopping();) {
    Listener::Accepted accepted = listener_.accept();
    if (accepted.kind == Listener::Accepted::Kind::pause) {
      loop_.timers().schedule_at(accepted.resume_at, [this] { take(); });
      return;
    }
    if (accepted.kind == Listener::Accepted::Kind::none) {
      if (!watch_->wait(io::Interest::read, *this)) return;
      continue;
    }
    if (placed_in_all() >= shared_.max_connections) {
      listener_.refuse(std::move(accepted.fd));
    } else {
      place(std::move(accepted.fd));
    }
    if (++taken == kPerTurn) {
      loop_.post(*this);
      return;
    }
  }
}

std::int64_t ConnectionLoop::placed_in_all() const {
  if (peers_.empty()) return connections();
  std::int64_t all = 0;
  for (const auto& peer : peers_) all += peer->connections();
  return all;
}

/// Opens a connection here, or on the loop that has fewer.
void ConnectionLoop::place(UniqueFd fd) {
  ConnectionLoop* fewest = this;
  for (const auto& peer : peers_) {
    if (!peer->started_.load(std::memory_order_acquire) || peer->stopping()) continue;
    if (peer->connections() < fewest->connections()) fewest = peer.get();
  }
  fewest->placed_.fetch_add(1, std::memory_order_relaxed);
  if (fewest == this) return open(std::move(fd));
  const bool posted = fewest->loop_.post([fewest, given = std::move(fd)]() mutable {
    if (!fewest->stopping()) return fewest->open(std::move(given));
    fewest->placed_.fetch_sub(1, std::memory_order_relaxed);
  });
  if (!posted) fewest->placed_.fetch_sub(1, std::memory_order_relaxed);  // it has ended, and the connection with it
}

void ConnectionLoop::open(UniqueFd fd) {
  const Ns now = loop_.clock().now();
  try {
    EventConnection& connection = make_(std::move(fd), now);
    join(connection);
    connection.resume(now);
  } catch (const std::exception& failed) {
    // No memory, or no more watches of the kernel: this connection is closed, the others live.
    placed_.fetch_sub(1, std::memory_order_relaxed);
    reactive::drop_error({ErrorCode::out_of_memory, failed.what()});
  }
}

void ConnectionLoop::wind_down() {
  if (watch_ != nullptr) {
    watch_->cancel(io::Interest::read, *this);
    loop_.poller().remove(*watch_);
    watch_ = nullptr;
    listener_.close();
  }
  const Ns now = loop_.clock().now();
  for (EventConnection* connection = first_; connection != nullptr;) {
    EventConnection* const following = connection->next_;
    connection->wind_down(now);
    connection = following;
  }
}

void ConnectionLoop::join(EventConnection& connection) {
  connection.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &connection;
  first_ = &connection;
  open_.fetch_add(1, std::memory_order_relaxed);
  shared_.table.add(connection.entry_);
}

void ConnectionLoop::leave(EventConnection& connection) {
  deadlines_.cancel(connection);
  (connection.previous_ == nullptr ? first_ : connection.previous_->next_) = connection.next_;
  if (connection.next_ != nullptr) connection.next_->previous_ = connection.previous_;
  shared_.table.remove(connection.entry_);
  placed_.fetch_sub(1, std::memory_order_relaxed);
  open_.fetch_sub(1, std::memory_order_release);
}

void ConnectionLoop::limit(EventConnection& connection, Deadline deadline, Ns now) {
  // At most the shortest limit away: then it never lies behind a deadline that another thread's hand-back brings.
  const Ns due = std::min(deadline.when(), now + shortest_limit_);
  TimerNode& node = connection;
  if (node.armed() && node.due <= due) return;
  deadlines_.arm(node, due);
  set_alarm();
}

/// One timer of the loop for all connections.
void ConnectionLoop::set_alarm() {
  const Deadline earliest = deadlines_.next();
  if (earliest.is_never() || earliest.when() >= alarm_.when()) return;
  alarm_ = earliest;
  loop_.timers().schedule_at(earliest.when(), [this, due = earliest.when()] {
    if (alarm_.when() != due) return;  // an earlier one came after it
    alarm_ = Deadline::never();
    const Ns now = loop_.clock().now();
    while (TimerNode* node = deadlines_.pop_due(now)) static_cast<EventConnection*>(node)->time_is_up(now);
    set_alarm();
  });
}

}  // namespace parkbench::server
