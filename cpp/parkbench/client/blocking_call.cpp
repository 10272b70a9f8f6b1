#include "parkbench/client/blocking_call.hpp"

#include <atomic>
#include <string>

namespace parkbench::client {
namespace {

const Error kTimeout{ErrorCode::timeout, "the answer did not come in time"};
const Error kConnectTimeout{ErrorCode::connect_timeout, "the connection was not made in time"};
const Error kInLine{ErrorCode::pool_timeout, "no connection became free in time"};

/// A place in line for code that parks.
class ParkedInLine final : public PoolWaiter {
 public:
  explicit ParkedInLine(io::Waiter& waiter) : unparker_(waiter.unparker()) {}

  void granted(Connection& connection, Ns at) override {
    connection_ = &connection;
    at_ = at;
    tell();
  }
  void failed(const Error& error) override {
    error_ = error;
    tell();
  }

  bool told() const { return told_.load(std::memory_order_acquire); }
  Connection* connection() const { return connection_; }
  Ns at() const { return at_; }
  const Error& error() const { return error_; }

 private:
  void tell() {
    const io::Unparker unparker = unparker_;
    told_.store(true, std::memory_order_release);  // from here the waiter may be gone, and this object with it
    unparker.unpark();
  }

  const io::Unparker unparker_;
  Connection* connection_ = nullptr;
  Ns at_ = 0;
  Error error_;
  std::atomic<bool> told_{false};
};

/// Parks until the place was told. False: the deadline passed and the place is out of the line.
bool park_in_line(ConnectionPool& pool, ParkedInLine& place, io::Waiter& waiter, Deadline deadline, Ns& running) {
  while (!place.told()) {
    const io::Woken woken = waiter.park(deadline, io::WaitReason::connection);
    running = woken.running;
    if (!woken.timed_out || place.told()) continue;
    if (pool.cancel(place)) return false;
    deadline = Deadline::never();  // a grant is on its way: it must be taken, else its connection is lost
  }
  return true;
}

}  // namespace

bool BlockingCall::begin(std::string_view request, bool stand_in_line) {
  request_ = request;
  times_ = {};
  times_.asked = waiter_.clock().now();
  if (deadline_.passed(times_.asked)) fail(kTimeout);
  take(stand_in_line);
  if (connection_ == nullptr) return false;
  if (!connection_->is_open()) open();
  times_.sent = waiter_.clock().now();
  send();
  return true;
}

void BlockingCall::take(bool stand_in_line) {
  if (!stand_in_line) {
    connection_ = pool_.try_acquire(nullptr);
    return;
  }
  ParkedInLine place(waiter_);
  connection_ = pool_.acquire_or_wait(nullptr, place);
  if (connection_ != nullptr) {
    if (connection_->hung_up()) connection_->close();
    return;
  }
  Ns running = waiter_.clock().now();
  if (!park_in_line(pool_, place, waiter_, deadline_, running)) fail(kInLine);
  if (place.connection() == nullptr) fail(place.error());
  connection_ = place.connection();
  times_.line_told = place.at();
  times_.line_running = running;
}

void BlockingCall::open() {
  while (connection_->connect() == Step::want_write) {
    const io::Woken woken = waiter_.wait_ready(connection_->source(), io::Interest::write, deadline_);
    if (woken.timed_out) fail(kConnectTimeout);
  }
  if (connection_->failed()) fail(connection_->error());
}

void BlockingCall::send() { step_ = connection_->send(request_); }

Answer BlockingCall::finish() {
  for (bool retried = false;;) {
    while (step_ != Step::done) {
      const auto interest = step_ == Step::want_read ? io::Interest::read : io::Interest::write;
      const io::Woken woken = waiter_.wait_ready(connection_->source(), interest, deadline_);
      times_.told = woken.told;
      times_.running = woken.running;
      step_ = connection_->step();
      if (woken.timed_out && step_ != Step::done) fail(kTimeout);
    }
    if (!connection_->failed()) break;
    if (retried || connection_->error().code != ErrorCode::stale_connection) fail(connection_->error());
    retried = true;
    pool_.count_stale_retry();
    open();
    send();
  }
  if (times_.told == 0) times_.told = times_.running = waiter_.clock().now();
  Answer answer = answer_of(connection_->session());
  pool_.release(*connection_);
  connection_ = nullptr;
  return answer;
}

void BlockingCall::give_up() {
  if (connection_ == nullptr) return;
  connection_->close();
  pool_.release(*connection_);
  connection_ = nullptr;
}

void BlockingCall::fail(const Error& error) {
  const Failure failure(error);  // before the connection, which may own the error, is gone
  give_up();
  throw failure;
}

}  // namespace parkbench::client
