#include "parkbench/server/reactive_server.hpp"

#include <algorithm>
#include <utility>

#include "parkbench/models/thread_counts.hpp"
#include "parkbench/service/error_answer.hpp"
#include "parkbench/service/handle_reactive.hpp"

namespace parkbench::server {

using reactive::Ref;
using reactive::Subscriber;
using reactive::Subscription;
using service::ReactiveReply;

/// Subscribes to the answer itself, and is counted as a part of the chain: a request allocates the chain and no more.
class ReactiveServer::Connection final : public EventConnection, public reactive::Node<Subscriber<ReactiveReply>> {
 public:
  Connection(ConnectionLoop& home, UniqueFd fd, Ns now) : EventConnection(home, std::move(fd), now), rows_(*this) {}

 private:
  /// Takes a stream row by row, so that no more than a buffer is ever ahead of the socket.
  class Rows final : public reactive::Part<Connection, Subscriber<std::string>> {
   public:
    using Part::Part;
    void on_subscribe(Subscription& subscription) noexcept override {
      if (subscription_) return subscription.cancel();
      subscription_ = Ref<Subscription>(&subscription);
    }
    void on_next(std::string&& row) noexcept override {
      asked_ = false;
      whole_.session_.stream(row, whole_.now_);
      whole_.resume_later(asked_in_feed_);
    }
    void on_error(Error) noexcept override { end(false); }
    void on_complete() noexcept override { end(true); }

    /// Asks for rows while they come at once and the buffer has room.
    void ask() {
      asked_in_feed_ = true;
      const Ref<Subscription> held = subscription_;  // the last row lets go of it
      while (subscription_ && !asked_ && whole_.session_.pending().size() < kAhead) {
        asked_ = true;
        subscription_->request(1);
      }
      asked_in_feed_ = false;
    }
    /// The client is gone.
    void cancel() {
      if (!subscription_) return;
      std::exchange(subscription_, nullptr)->cancel();
      whole_.home_.shared().books.answer(whole_.account_);
    }

   private:
    static constexpr std::size_t kAhead = 16 * 1024;
    void end(bool whole) {
      if (!std::exchange(subscription_, nullptr)) return;
      whole ? whole_.session_.end_stream(whole_.now_) : whole_.session_.abort_stream();
      whole_.home_.shared().books.answer(whole_.account_);
      whole_.resume_later(asked_in_feed_);
    }

    Ref<Subscription> subscription_;
    bool asked_ = false;  // for a row that has not come
    bool asked_in_feed_ = false;
  };

  void handle() override;
  void feed() override { rows_.ask(); }
  void closed() override {
    rows_.cancel();
    release();
  }
  void resume_later(bool in_feed) {
    if (!in_feed) resume(home_.loop().clock().now());
  }

  void on_subscribe(Subscription& subscription) noexcept override { subscription.request(reactive::kUnbounded); }
  void on_next(ReactiveReply&& reply) noexcept override { answer(reply); }
  void on_error(Error error) noexcept override {
    ReactiveReply reply{service::error_answer(error), {}};
    account_.answer_ready = home_.loop().clock().now();
    answer(reply);
  }
  void on_complete() noexcept override {}
  void answer(ReactiveReply& reply);

  measure::Request account_;
  Rows rows_;
};

void ReactiveServer::Connection::handle() {
  const auto route = admit(account_);
  if (!route) return;
  Shared& shared = home_.shared();
  shared.books.begin();
  service::handle_reactive(shared.resources, *route, {session_.request(), account_}, home_.loop())
      .subscribe(Ref<Subscriber<ReactiveReply>>(this));
}

void ReactiveServer::Connection::answer(ReactiveReply& reply) {
  const Ns now = account_.answer_ready;
  if (reply.rows) {
    begin_stream(reply.response, now);
    reply.rows->subscribe(Ref<Subscriber<std::string>>(&rows_));
  } else {
    home_.shared().books.answer(account_);
    respond(reply.response, now);
  }
  resume(now);
}

ReactiveServer::ReactiveServer(const ServerOptions& options, int loops, workload::Resources& resources)
    : options_(options),
      books_(sink_, options.limit),
      pages_("reactive", *this, table_, tally_, resources),
      shared_{options_, connection_limit(options), resources, pages_, books_, table_, tally_},
      loops_(static_cast<std::size_t>(std::max(loops, 0)), {.clock = &resources.clock}) {
  if (loops > 1) Listener::require_free_port(options_);
  ServerOptions own = options_;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    places_.push_back(std::make_unique<ConnectionLoop>(loops_.loop(i), own, loops > 1, shared_));
    own.port = places_.front()->port();
  }
  loops_.start();
  for (std::size_t i = 0; i < loops_.size(); ++i) loops_.loop(i).lag().start();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    ConnectionLoop& place = *places_[i];
    place.start(
        [&place](UniqueFd fd, Ns now) -> EventConnection& { return *new Connection(place, std::move(fd), now); }, i,
        places_.size(), places_);
  }
}

ReactiveServer::~ReactiveServer() { stop(); }

void ReactiveServer::stop() {
  for (const auto& place : places_) place->stop();
  loops_.stop();
}

ServerCounters ReactiveServer::server_counters() const {
  std::uint64_t dropped = 0;
  for (const auto& place : places_) dropped += place->dropped();
  return shared_.counters(dropped);
}

std::int64_t ReactiveServer::accept_queue() const {
  std::int64_t waiting = 0;
  for (const auto& place : places_) waiting += place->waiting();
  return waiting;
}

void ReactiveServer::begin_window() {
  for (std::size_t i = 0; i < loops_.size(); ++i) loops_.loop(i).lag().begin_window();
}

models::Counters ReactiveServer::counters() const {
  models::Counters counters;
  models::add_loops(counters, loops_);
  models::add_pins(counters, shared_.resources);
  books_.report(counters);
  return counters;
}

std::vector<int> ReactiveServer::thread_ids() const {
  std::vector<int> ids;
  for (std::size_t i = 0; i < loops_.size(); ++i) ids.push_back(loops_.loop(i).cell().thread_id.load());
  return ids;
}

std::vector<std::int64_t> ReactiveServer::connections_by_loop() const {
  std::vector<std::int64_t> found;
  for (const auto& place : places_) found.push_back(place->connections());
  return found;
}

}  // namespace parkbench::server
