#include "parkbench/server/thread_pool_server.hpp"

#include <exception>
#include <utility>

#include "parkbench/models/thread_counts.hpp"
#include "parkbench/service/error_answer.hpp"
#include "parkbench/service/handle_blocking.hpp"

namespace parkbench::server {

class ThreadPoolServer::Connection final : public EventConnection {
 public:
  Connection(ConnectionLoop& home, Submission& submission, UniqueFd fd, Ns now)
      : EventConnection(home, std::move(fd), now), submission_(submission) {}

  /// On a worker: from the handler's first instruction until the socket has taken the answer or is full.
  void work(io::Waiter& waiter);
  /// On the loop's thread: there was no room in the queue.
  void refuse();

 private:
  void handle() override;
  void feed() override {}  // a worker writes a stream to its end
  void closed() override { delete this; }

  void stream(service::Rows& rows, const http::Response& head, io::Waiter& waiter);
  bool flush(io::Waiter& waiter);

  Submission& submission_;
  service::Route route_;
  measure::Request account_;
};

void ThreadPoolServer::Connection::handle() {
  const auto route = admit(account_);
  if (!route) return;
  route_ = *route;
  submission_.add(*this);
}

void ThreadPoolServer::Connection::refuse() {
  models::Books& books = home_.shared().books;
  const Ns now = home_.loop().clock().now();
  account_.fail(ErrorCode::rejected);
  account_.answer_ready = now;
  books.begin();
  books.answer(account_);
  respond(service::overloaded(), now);
  resume(now);
}

void ThreadPoolServer::Connection::work(io::Waiter& waiter) {
  Shared& shared = home_.shared();
  shared.books.begin();
  service::Reply reply = service::handle_blocking(shared.resources, route_, {session_.request(), account_}, waiter);
  if (reply.rows) {
    stream(*reply.rows, reply.response, waiter);
    shared.books.answer(account_);
  } else {
    respond(reply.response, account_.answer_ready);
    shared.books.answer(account_);
    send_pending(now_);
  }
  // Nothing of this object may be touched behind this line.
  if (!give_back_idle()) give_back();
}

void ThreadPoolServer::Connection::stream(service::Rows& rows, const http::Response& head, io::Waiter& waiter) {
  // Rows that come at once are sent in pieces of this size; those that take their time, one by one.
  constexpr std::size_t kPiece = 16 * 1024;
  const bool at_once = home_.shared().resources.options.row_every == 0;
  begin_stream(head, account_.answer_ready);
  std::string row;
  try {
    while (rows(row, waiter)) {
      session_.stream(row, now_);
      if ((!at_once || session_.pending().size() >= kPiece) && !flush(waiter)) return;
    }
    session_.end_stream(now_);
  } catch (const std::exception& failed) {
    account_.fail(ErrorCode::internal);
    home_.shared().resources.errors.keep({ErrorCode::internal, failed.what()});
    session_.abort_stream();
  }
  flush(waiter);
}

/// Waits until the socket has taken everything. False: it does not.
bool ThreadPoolServer::Connection::flush(io::Waiter& waiter) {
  io::IoSource socket(entry_.fd);
  now_ = waiter.clock().now();
  for (;;) {
    const Sent sent = send_pending(now_);
    if (sent != Sent::blocked) return sent == Sent::all;
    const io::Woken woken = waiter.wait_ready(socket, io::Interest::write, session_.deadline());
    now_ = woken.running;
    if (!woken.timed_out) continue;
    session_.expired(now_);
    return false;
  }
}

void ThreadPoolServer::Submission::add(Connection& connection) {
  if (tasks_.empty()) server_.loop_.post(*this);
  tasks_.push_back(
      {[](void* argument, io::Waiter& waiter) { static_cast<Connection*>(argument)->work(waiter); }, &connection});
}

void ThreadPoolServer::Submission::run() {
  // What is refused goes on at once and may come back here with its next request.
  submitted_.swap(tasks_);
  const std::size_t taken = server_.pool_.submit(submitted_).taken;
  for (std::size_t i = taken; i < submitted_.size(); ++i) static_cast<Connection*>(submitted_[i].argument)->refuse();
  submitted_.clear();
}

ThreadPoolServer::ThreadPoolServer(const ServerOptions& options, thread_pool::ThreadPoolOptions pool,
                                   workload::Resources& resources)
    : options_(options),
      books_(sink_, options.limit),
      pages_("thread_pool", *this, table_, tally_, resources),
      shared_{options_, connection_limit(options), resources, pages_, books_, table_, tally_},
      loop_({.clock = &resources.clock, .name = "http-io"}),
      submission_(*this),
      place_(loop_, options_, false, shared_),
      pool_(std::move(pool)) {
  loop_.start();
  place_.start([this](UniqueFd fd,
                      Ns now) -> EventConnection& { return *new Connection(place_, submission_, std::move(fd), now); },
               0, 1);
}

ThreadPoolServer::~ThreadPoolServer() { stop(); }

void ThreadPoolServer::stop() {
  place_.stop();
  pool_.stop();
  loop_.stop();
}

ServerCounters ThreadPoolServer::server_counters() const { return shared_.counters(place_.dropped()); }

models::Counters ThreadPoolServer::counters() const {
  models::Counters counters;
  models::add_thread(counters, loop_.cell(), loop_.gauge());
  models::add_workers(counters, pool_);
  books_.report(counters);
  return counters;
}

std::vector<int> ThreadPoolServer::thread_ids() const {
  std::vector<int> ids{loop_.cell().thread_id.load()};
  for (int worker = 0; worker < pool_.workers(); ++worker) ids.push_back(pool_.state(worker).thread_id.load());
  return ids;
}

}  // namespace parkbench::server
