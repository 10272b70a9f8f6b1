#include "parkbench/client/loop_call.hpp"

#include "parkbench/reactive/callback.hpp"

namespace parkbench::client {

using reactive::Ref;

void LoopCall::start(std::string_view request, Deadline deadline) {
  const Ref<CallListener> alive(&listener_);
  request_ = request;
  times_ = {};
  times_.asked = loop_.clock().now();
  error_ = {};
  retried_ = cancelled_ = false;
  if (deadline.passed(times_.asked)) return fail({ErrorCode::timeout, "the answer did not come in time"});
  if (!deadline.is_never()) {
    timer_ =
        loop_.timers().schedule_at(deadline.when(), [this, keep = Ref<CallListener>(&listener_)] { time_is_up(); });
  }
  state_ = State::in_line;
  alive_ = alive;
  loop_.gauge().begin(io::WaitReason::connection);
  Connection* const connection = pool_.acquire_or_wait(&loop_.poller(), *this);
  if (connection == nullptr) return;  // connection_ belongs to whoever grants it, perhaps at this very moment
  connection_ = connection;
  leave_line();
  have_connection();
}

void LoopCall::granted(Connection& connection, Ns at) {
  connection_ = &connection;
  times_.line_told = at;
  tell();
}

void LoopCall::failed(const Error& error) {
  error_ = error;
  tell();
}

/// From any thread. With the post this object belongs to the loop again, and may be gone.
void LoopCall::tell() {
  if (loop_.post(*this)) return;
  const auto alive = std::move(alive_);  // the loop has ended, nobody will come for it
  if (connection_ != nullptr) pool_.release(*connection_);
}

/// The news from the pool has come to the loop.
void LoopCall::run() {
  const auto alive = std::move(alive_);
  leave_line();
  if (cancelled_) {
    if (connection_ != nullptr) pool_.release(*std::exchange(connection_, nullptr));
    return;
  }
  if (connection_ == nullptr) return fail(Error(error_));
  times_.line_running = loop_.clock().now();
  have_connection();
}

void LoopCall::leave_line() {
  state_ = State::idle;
  alive_.reset();
  loop_.gauge().end(io::WaitReason::connection);
}

void LoopCall::have_connection() {
  if (connection_->hung_up()) connection_->close();
  advance();
}

/// As far as it goes without waiting: connect, send, read.
void LoopCall::advance() {
  try {
    for (;;) {
      if (state_ != State::calling && connection_->is_open()) {
        state_ = State::calling;
        if (times_.sent == 0) times_.sent = loop_.clock().now();
        if (wait(connection_->send(request_))) return;
      } else {
        const bool calls = state_ == State::calling;
        if (!calls) state_ = State::connecting;
        if (wait(calls ? connection_->step() : connection_->connect())) return;
      }
      if (!connection_->failed()) {
        if (state_ == State::calling) return succeed();
        continue;
      }
      if (retried_ || connection_->error().code != ErrorCode::stale_connection) return fail(connection_->error());
      retried_ = true;
      pool_.count_stale_retry();
      state_ = State::connecting;
    }
  } catch (...) {
    fail(reactive::error_of_exception());
  }
}

/// True: on_ready comes later. False: the step is done, its outcome is to be looked at.
bool LoopCall::wait(Step step) {
  while (step != Step::done) {
    waits_for_ = step == Step::want_read ? io::Interest::read : io::Interest::write;
    if (!connection_->source().watch_at(loop_.poller()).wait(waits_for_, *this)) {
      waiting_ = true;
      alive_ = Ref<CallListener>(&listener_);
      loop_.gauge().begin(io::WaitReason::io);
      return true;
    }
    times_.told = loop_.clock().now();
    step = state_ == State::calling ? connection_->step() : connection_->connect();
  }
  return false;
}

void LoopCall::on_ready(Ns told) {
  const auto alive = std::move(alive_);
  waiting_ = false;
  loop_.gauge().end(io::WaitReason::io);
  times_.told = told;
  times_.running = loop_.clock().now();
  advance();
}

void LoopCall::time_is_up() {
  const Ref<CallListener> alive(&listener_);
  switch (state_) {
    case State::idle:
      return;
    case State::in_line:
      if (!pool_.cancel(*this)) return;  // the news is on its way and must be taken: a connection hangs on it
      leave_line();
      return fail({ErrorCode::pool_timeout, "no connection became free in time"});
    case State::connecting:
      return fail({ErrorCode::connect_timeout, "the connection was not made in time"});
    case State::calling:
      return fail({ErrorCode::timeout, "the answer did not come in time"});
  }
}

void LoopCall::succeed() {
  if (times_.running < times_.told) times_.running = loop_.clock().now();
  answer_ = answer_of(connection_->session());
  over();
}

void LoopCall::fail(const Error& error) {
  error_ = error;
  times_.told = 0;
  times_.running = loop_.clock().now();
  over();
}

void LoopCall::over() {
  cancel();
  listener_.call_over(*this);
}

void LoopCall::cancel() {
  const Ref<CallListener> alive(&listener_);
  timer_.cancel();
  timer_ = {};
  cancelled_ = true;
  if (state_ == State::in_line) {
    if (pool_.cancel(*this)) leave_line();
    return;  // else run() gives back what was granted
  }
  state_ = State::idle;
  if (waiting_) {
    connection_->source().watch_at(loop_.poller()).cancel(waits_for_, *this);
    waiting_ = false;
    loop_.gauge().end(io::WaitReason::io);
    alive_.reset();
  }
  if (connection_ != nullptr) pool_.release(*std::exchange(connection_, nullptr));
}

}  // namespace parkbench::client
