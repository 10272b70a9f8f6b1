#include "parkbench/server/event_connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "parkbench/server/connection_loop.hpp"
#include "parkbench/service/error_answer.hpp"

namespace parkbench::server {

using State = ConnectionEntry::State;
using Step = http::ServerSession::Step;
using io::Interest;

EventConnection::EventConnection(ConnectionLoop& home, UniqueFd fd, Ns now)
    : home_(home),
      session_(home.shared().options.limits, now),
      now_(now),
      fd_(std::move(fd)),
      watch_(&home.loop().poller().add(fd_.get())) {
  entry_.fd = fd_.get();
  entry_.since.store(now, std::memory_order_relaxed);
}

EventConnection::~EventConnection() = default;

void EventConnection::set_state(State state, Ns since) {
  entry_.state.store(state, std::memory_order_relaxed);
  entry_.since.store(since, std::memory_order_relaxed);
}

std::optional<service::Route> EventConnection::admit(measure::Request& account) {
  Shared& shared = home_.shared();
  entry_.route.store(service::Route::Kind::page, std::memory_order_relaxed);
  const auto routed = service::route(session_.request(), shared.resources.options, shared.pages);
  if (const auto* response = std::get_if<http::Response>(&routed)) {
    respond(*response, home_.loop().clock().now());
    return std::nullopt;
  }
  const auto& route = std::get<service::Route>(routed);
  const Ns complete = session_.request_complete_at();
  account = {};
  account.number = home_.next_number();
  entry_.route.store(route.kind, std::memory_order_relaxed);
  entry_.number.store(account.number, std::memory_order_relaxed);
  if (!shared.books.accept_from_any(account, complete)) {
    const Ns now = home_.loop().clock().now();
    shared.books.refuse(account, now);
    respond(service::overloaded(), now);
    return std::nullopt;
  }
  return route;
}

void EventConnection::count(int status, Ns now) {
  const service::Route::Kind route = entry_.route.load(std::memory_order_relaxed);
  home_.shared().tally.count(entry_.id, route, status, now - session_.request_complete_at());
  now_ = now;
  if (home_.stopping() || home_.shared().options.planted_accept_delay > 0) session_.stop_keep_alive();
}

void EventConnection::respond(const http::Response& response, Ns now) {
  count(response.status, now);
  session_.respond(response, now);
}

void EventConnection::begin_stream(const http::Response& head, Ns now) {
  count(head.status, now);
  session_.begin_stream(head, now);
}

void EventConnection::on_ready(Ns told) {
  now_ = told;
  readable_ = true;  // or writable: a recv too many is seldom
  drive();
}

void EventConnection::run() {
  now_ = std::max(now_, home_.loop().clock().now());
  drive();
}

void EventConnection::resume(Ns now) {
  now_ = now;
  if (driving_) return;  // the one below us goes on
  take_back();
  drive();
}

void EventConnection::give_back() { home_.loop().post(*this); }

bool EventConnection::give_back_idle() {
  if (home_.stopping() || readable_ || broken_ || session_.step() != Step::read || !session_.idle()) return false;
  if (watch_->hung_up()) return false;
  set_state(State::idle, now_);
  if (!watch_->wait(Interest::read, *this)) return true;
  readable_ = true;  // that was the news; the connection is still ours
  return false;
}

void EventConnection::drive() {
  // A peer that pipelines without end must not keep the loop from the others.
  constexpr int kRequestsPerTurn = 64;
  driving_ = true;
  if (home_.stopping()) session_.stop_keep_alive();
  for (int requests = 0;;) {
    if (broken_) return close();
    const Step step = session_.step();
    if (step == Step::close) return close();
    if (step == Step::shut_down) {
      shutdown(fd_.get(), SHUT_WR);
      session_.shut_down_done(now_);
      continue;
    }
    if (step == Step::read) {
      if (receive()) continue;
      break;
    }
    if (!session_.pending().empty()) {
      if (transmit()) continue;
      break;
    }
    if (session_.streaming()) {
      feed();
      if (!session_.streaming() || !session_.pending().empty()) continue;
      if (gone()) return close();
      if (wait(Interest::write)) continue;  // for the peer to go
      break;
    }
    if (++requests > kRequestsPerTurn) {
      give_back();
      break;
    }
    set_state(State::handling, session_.request_complete_at());
    handle();
    if (session_.step() == Step::handle) break;  // the answer comes later
  }
  driving_ = false;
}

bool EventConnection::receive() {
  for (;;) {
    if (!readable_ && !watch_->hung_up()) {
      set_state(session_.idle() ? State::idle : State::reading, now_);
      if (!wait(Interest::read)) return false;
      readable_ = true;
    }
    const std::span<char> room = session_.space();
    const ssize_t got = recv(fd_.get(), room.data(), room.size(), 0);
    if (got >= 0) {
      readable_ = static_cast<std::size_t>(got) == room.size();
      got > 0 ? session_.received(static_cast<std::size_t>(got), now_) : session_.ended(now_);
      return true;
    }
    const int error = errno;
    session_.received(0, now_);
    if (error == EINTR) continue;
    readable_ = false;
    // What has an end is always readable.
    if (error != EAGAIN || watch_->hung_up()) broken_ = true;
    if (broken_) return true;
  }
}

EventConnection::Sent EventConnection::send_pending(Ns now) {
  while (!session_.pending().empty()) {
    const std::string_view pending = session_.pending();
    const ssize_t sent = send(fd_.get(), pending.data(), pending.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      session_.written(static_cast<std::size_t>(sent), now);
    } else if (errno == EAGAIN) {
      return Sent::blocked;
    } else if (errno != EINTR) {
      broken_ = true;
      return Sent::broken;
    }
  }
  return Sent::all;
}

/// True: go on. False: the connection waits.
bool EventConnection::transmit() {
  if (session_.refused() != 0 && !std::exchange(refused_, true)) home_.shared().tally.count_bad();
  while (send_pending(now_) == Sent::blocked) {
    if (entry_.state.load(std::memory_order_relaxed) != State::writing) set_state(State::writing, now_);
    if (!wait(Interest::write)) return false;
  }
  return true;
}

/// True: it is ready already.
bool EventConnection::wait(Interest interest) {
  home_.limit(*this, session_.deadline(), now_);
  return watch_->wait(interest, *this);
}

/// Ends the wait that there may be, so that the loop has the connection. False: another thread has it, or nobody waits.
bool EventConnection::take_back() {
  return watch_->cancel(Interest::read, *this) || watch_->cancel(Interest::write, *this);
}

/// Whether the peer takes nothing any more. Half a close (it sends nothing more) is not that.
bool EventConnection::gone() const {
  if (!watch_->hung_up()) return false;
  pollfd entry{fd_.get(), 0, 0};  // POLLHUP and POLLERR come unasked
  return poll(&entry, 1, 0) > 0;
}

void EventConnection::time_is_up(Ns now) {
  if (!take_back()) return home_.limit(*this, Deadline::at(now + home_.shortest_limit_), now);
  now_ = now;
  if (session_.deadline().passed(now)) session_.expired(now);
  drive();
}

void EventConnection::wind_down(Ns now) {
  if (!take_back()) return;
  now_ = now;
  drive();
}

void EventConnection::close() {
  driving_ = true;  // for good: what still arrives finds nothing to drive
  home_.leave(*this);
  home_.loop().poller().remove(*watch_);
  if (session_.must_reset()) {
    const linger at_once{1, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  fd_.reset();
  closed();
}

}  // namespace parkbench::server
