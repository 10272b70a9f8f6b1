#include "parkbench/server/parked_connection.hpp"

#include <exception>
#include <variant>

#include "parkbench/io/socket_calls.hpp"
#include "parkbench/server/virtual_threads_server.hpp"
#include "parkbench/service/error_answer.hpp"
#include "parkbench/service/handle_blocking.hpp"

namespace parkbench::server {

using http::ServerSession;
using io::Interest;

namespace {

constexpr std::size_t kStreamedAtOnce = 16 * 1024;

/// A request is answered in the books however its scope is left.
class Held {
 public:
  Held(models::Books& books, measure::Request& account) : books_(books), account_(account) { books_.begin(); }
  ~Held() { books_.answer(account_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  models::Books& books_;
  measure::Request& account_;
};

}  // namespace

ParkedConnection::ParkedConnection(VirtualThreadsServer& server, UniqueFd socket)
    : server_(server),
      socket_(std::move(socket)),
      source_(socket_.get()),
      watch_(source_.watch_at(server.scheduler_.poller())),
      session_(server.options_.limits, server.clock().now()),
      now_(server.clock().now()),
      told_(now_) {
  fd = socket_.get();
  enter(State::idle, now_);
  server_.table_.add(*this);
}

ParkedConnection::~ParkedConnection() {
  server_.table_.remove(*this);
  if (session_.refused() != 0) server_.tally_.count_bad();
  if (session_.must_reset()) io::reset_on_close(fd);
}

bool ParkedConnection::time_is_up(Ns now) const {
  return state.load(std::memory_order_relaxed) != State::handling && give_up.load(std::memory_order_relaxed) <= now;
}

void ParkedConnection::run(void* connection) {
  std::unique_ptr<ParkedConnection> self(static_cast<ParkedConnection*>(connection));
  VirtualThreadsServer& server = self->server_;
  try {
    self->serve();
  } catch (const std::exception& error) {  // no memory for a buffer: this connection ends, the others go on
    server.resources_.errors.keep({ErrorCode::internal, error.what()});
  }
  self.reset();
  server.connection_is_gone();
}

void ParkedConnection::serve() {
  while (!broken_) {
    look_for_the_end();
    switch (session_.step()) {
      case ServerSession::Step::read:
        read();
        break;
      case ServerSession::Step::handle:
        handle();
        break;
      case ServerSession::Step::write:
        write();
        break;
      case ServerSession::Step::shut_down:
        io::shut_down_sending(fd);
        session_.shut_down_done(now_);
        break;
      case ServerSession::Step::close:
        return;
    }
  }
}

/// Before each step and each answer, so that the last one says `Connection: close`.
void ParkedConnection::look_for_the_end() {
  if (winds_down_ || !server_.stopping()) return;
  winds_down_ = true;
  session_.stop_keep_alive();
}

/// Says until when, for the reaper, and waits.
void ParkedConnection::wait(io::Waiter& waiter, Interest interest, State what) {
  enter(what, now_);
  give_up.store(session_.deadline().when(), std::memory_order_relaxed);
  const io::Woken woken = waiter.wait_ready(source_, interest, Deadline::never());
  now_ = woken.running;
  told_ = woken.told;
}

void ParkedConnection::read() {
  if (session_.deadline().passed(now_)) {
    session_.expired(now_);
    return;
  }
  if (drained_ && !watch_.hung_up()) {
    wait(server_.quiet_, Interest::read, session_.idle() ? State::idle : State::reading);
  } else {
    now_ = told_ = server_.clock().now();
  }
  const std::span<char> space = session_.space();
  const io::Moved moved = io::receive(fd, space);
  if (moved.bytes > 0) {
    drained_ = moved.bytes < space.size();
    session_.received(moved.bytes, told_);
  } else if (moved.not_now()) {
    drained_ = true;
  } else {
    session_.ended(now_);
  }
}

void ParkedConnection::write() {
  const std::string_view pending = session_.pending();
  const io::Moved moved = io::send(fd, pending);
  if (moved.bytes > 0) {
    session_.written(moved.bytes, now_);
  } else if (!moved.not_now()) {
    broken_ = true;
  } else if (session_.deadline().passed(now_)) {
    session_.expired(now_);
  } else {
    wait(server_.waiter_, Interest::write, State::writing);
  }
}

void ParkedConnection::handle() {
  route.store(service::Route::Kind::page, std::memory_order_relaxed);
  number.store(0, std::memory_order_relaxed);
  enter(State::handling, session_.request_complete_at());
  const auto routed = service::route(session_.request(), server_.resources_.options, server_.pages_);
  if (const auto* place = std::get_if<service::Route>(&routed)) {
    handle_with_model(*place);
  } else {
    now_ = server_.clock().now();
    respond(std::get<http::Response>(routed), service::Route::Kind::page, session_.request_complete_at());
  }
}

void ParkedConnection::handle_with_model(const service::Route& place) {
  measure::Request account;
  // The count is shared by all carriers: only those pay for it whose answer may depend on it.
  if (place.kind != service::Route::Kind::hello) account.number = server_.next_number();
  const Ns accepted = session_.request_complete_at();
  route.store(place.kind, std::memory_order_relaxed);
  number.store(account.number, std::memory_order_relaxed);
  if (!server_.books_.accept_from_any(account, accepted)) {
    respond(service::overloaded(), place.kind, accepted);
    return;
  }
  const Held held(server_.books_, account);
  service::Reply reply =
      service::handle_blocking(server_.resources_, place, {session_.request(), account}, server_.waiter_);
  now_ = account.answer_ready;
  if (!reply.rows) {
    respond(reply.response, place.kind, accepted);
    return;
  }
  server_.tally_.count(id, place.kind, reply.response.status, now_ - accepted);
  stream(reply, session_.request().method == http::Method::head);
}

void ParkedConnection::respond(const http::Response& response, service::Route::Kind kind, Ns accepted) {
  server_.tally_.count(id, kind, response.status, now_ - accepted);
  look_for_the_end();
  if (server_.options_.planted_accept_delay > 0) session_.stop_keep_alive();
  session_.respond(response, now_);
}

/// Pulls a row when the socket has taken what came before, or 16 KiB of small ones at once.
void ParkedConnection::stream(service::Reply& reply, bool head) {
  const bool at_once = server_.resources_.options.row_every > 0;  // somebody waits for each single one
  look_for_the_end();
  session_.begin_stream(reply.response, now_);
  std::string piece;
  try {
    while (!head && (*reply.rows)(piece, server_.waiter_)) {
      if (at_once) now_ = server_.clock().now();
      session_.stream(piece, now_);
      if ((at_once || session_.pending().size() >= kStreamedAtOnce) && !flush()) return;
    }
    session_.end_stream(now_);
  } catch (const std::exception& error) {
    server_.resources_.errors.keep({ErrorCode::internal, error.what()});
    session_.abort_stream();
  }
}

/// False: the peer is gone or takes nothing.
bool ParkedConnection::flush() {
  while (!session_.pending().empty() && session_.step() == ServerSession::Step::write && !broken_) write();
  return !broken_ && session_.step() != ServerSession::Step::close;
}

}  // namespace parkbench::server
