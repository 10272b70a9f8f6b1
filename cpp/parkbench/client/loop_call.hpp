#pragma once

#include <string_view>

#include "parkbench/base/deadline.hpp"
#include "parkbench/client/answer.hpp"
#include "parkbench/client/connection_pool.hpp"
#include "parkbench/reactive/event_loop.hpp"

namespace parkbench::client {

class LoopCall;

/// Whoever is told of the end of a call; the object that the call is part of.
class CallListener : public reactive::Counted {
 public:
  /// On the loop's thread, once per call that was started and not cancelled; perhaps from within start().
  virtual void call_over(LoopCall& call) noexcept = 0;

 protected:
  ~CallListener() = default;
};

/// One GET on an event loop: the steps of BlockingCall, with the same errors, and nobody waits. Part of its listener,
/// so that a call allocates nothing but a timer. Everything but the pool's news happens on the loop's thread.
class LoopCall final : private PoolWaiter, private io::ReadyWaiter, private reactive::Task {
 public:
  /// listener, pool and loop outlive the call.
  LoopCall(CallListener& listener, ConnectionPool& pool, reactive::EventLoop& loop)
      : listener_(listener), pool_(pool), loop_(loop) {}
  LoopCall(const LoopCall&) = delete;
  LoopCall& operator=(const LoopCall&) = delete;

  /// request must live until the call is over.
  void start(std::string_view request, Deadline deadline);
  /// Gives the call up, if it is under way: its connection is closed, the listener is not told.
  void cancel();

  /// After call_over.
  bool has_failed() const { return error_.code != ErrorCode::none; }
  const Error& error() const { return error_; }
  Answer& answer() { return answer_; }
  const CallTimes& times() const { return times_; }

 private:
  enum class State : unsigned char { idle, in_line, connecting, calling };

  void granted(Connection& connection, Ns at) override;
  void failed(const Error& error) override;
  void on_ready(Ns told) override;
  void run() override;

  void tell();
  void advance();
  bool wait(Step step);
  void leave_line();
  void have_connection();
  void time_is_up();
  void succeed();
  void fail(const Error& error);
  void over();

  CallListener& listener_;
  ConnectionPool& pool_;
  reactive::EventLoop& loop_;
  std::string_view request_;
  Connection* connection_ = nullptr;
  State state_ = State::idle;
  io::Interest waits_for_ = io::Interest::read;
  bool waiting_ = false;  // the watch has a pointer to this
  bool retried_ = false;
  bool cancelled_ = false;
  reactive::Ref<CallListener> alive_;  // while the watch, the line or a post has a pointer to this
  reactive::TimerHandle timer_;
  CallTimes times_;
  Answer answer_;
  Error error_;
};

}  // namespace parkbench::client
