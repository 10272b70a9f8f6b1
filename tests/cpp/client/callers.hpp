#pragma once

#include <future>
#include <memory>
#include <variant>

#include "client/scripted_server.hpp"
#include "parkbench/client/blocking_call.hpp"
#include "parkbench/client/loop_call.hpp"
#include "parkbench/io/blocking_waiter.hpp"

namespace parkbench::client::testing {

inline const std::string kRequest = "GET /a HTTP/1.1\r\nHost: test\r\n\r\n";

/// What an OS thread needs to wait.
struct BlockingCaller {
  const Clock& clock = SteadyClock::instance();
  io::ThreadStateCell cell;
  io::WaitGauge gauge;
  io::BlockingWaiter waiter{clock, cell, gauge};
};

inline Deadline within(Ns time) { return Deadline::at(SteadyClock::instance().now() + time); }
inline Deadline soon() { return within(20 * kSecond); }

/// Opens a connection, or says why not.
inline Error open(Connection& connection, BlockingCaller& caller) {
  while (connection.connect() == Step::want_write) {
    caller.waiter.wait_ready(connection.source(), io::Interest::write, soon());
  }
  return connection.error();
}

struct Outcome {
  Answer answer;
  Error error;
  CallTimes times;
};

/// A call on a loop, and who is told of its end.
class LoopCaller final : public reactive::Node<CallListener> {
 public:
  LoopCaller(ConnectionPool& pool, reactive::EventLoop& loop) : loop_(loop), call_(*this, pool, loop) {}

  std::future<Outcome> start(Deadline deadline) {
    loop_.post([self = reactive::Ref<LoopCaller>(this), deadline] { self->call_.start(kRequest, deadline); });
    return over_.get_future();
  }
  void cancel() {
    std::promise<void> done;
    loop_.post([this, &done] {
      call_.cancel();
      done.set_value();
    });
    done.get_future().get();
  }

 private:
  void call_over(LoopCall& call) noexcept override {
    over_.set_value({std::move(call.answer()), call.error(), call.times()});
  }
  reactive::EventLoop& loop_;
  LoopCall call_;
  std::promise<Outcome> over_;
};

/// The same call in both forms.
class Caller {
 public:
  virtual ~Caller() = default;
  virtual Outcome call(ConnectionPool& pool, Deadline deadline) = 0;
};

class ByBlocking final : public Caller {
 public:
  Outcome call(ConnectionPool& pool, Deadline deadline) override {
    BlockingCall call(pool, caller_.waiter, deadline);
    Outcome outcome;
    try {
      call.begin(kRequest);
      outcome.answer = call.finish();
    } catch (const Failure& failure) {
      outcome.error = failure.error();
    }
    outcome.times = call.times();
    return outcome;
  }

 private:
  BlockingCaller caller_;
};

class ByLoop final : public Caller {
 public:
  ByLoop() { loop_.start(); }
  Outcome call(ConnectionPool& pool, Deadline deadline) override {
    return reactive::make_ref<LoopCaller>(pool, loop_)->start(deadline).get();
  }

 private:
  reactive::EventLoop loop_;
};

}  // namespace parkbench::client::testing
