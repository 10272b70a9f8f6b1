#include "parkbench/postgres/acquire_mono.hpp"

#include <memory>
#include <optional>

#include "parkbench/postgres/await_connection.hpp"
#include "parkbench/postgres/reconnect.hpp"
#include "parkbench/reactive/await_ready.hpp"

namespace parkbench::postgres {
namespace {

using measure::Phase;
using reactive::EventLoop;
using reactive::MonoSink;

/// One acquisition. Everything but granted() and failed() happens on the loop's thread.
class Acquisition final : public PoolWaiter, public reactive::Task, public std::enable_shared_from_this<Acquisition> {
 public:
  Acquisition(ConnectionPool& pool, EventLoop& loop, Deadline deadline, measure::PhaseTrace& trace,
              MonoSink<Lease> sink)
      : pool_(pool), loop_(loop), deadline_(deadline), trace_(trace), sink_(std::move(sink)) {}

  void start() {
    sink_.on_cancel([self = shared_from_this()] { self->cancel(); });
    const Ns asked = loop_.clock().now();
    trace_.turn(Phase::connection, asked);
    in_line_ = shared_from_this();
    loop_.gauge().begin(io::WaitReason::connection);
    if (Connection* const connection = pool_.acquire_or_wait(*this, asked)) {
      const auto self = leave_line();
      lease_ = Lease(pool_, *connection);
      if (connection->looks_alive()) return succeed();
      open();
    } else if (!deadline_.is_never()) {
      timer_ = loop_.timers().schedule_at(deadline_.when(), [self = shared_from_this()] { self->time_is_up(); });
    }
  }

  void granted(Connection& connection, Ns at) override {
    connection_ = &connection;
    granted_at_ = at;
    tell();
  }
  void failed(const Error& error) override {
    error_ = error;
    tell();
  }

  /// The news from the pool has come to the loop.
  void run() override {
    const auto self = leave_line();
    timer_.cancel();
    const Ns running = loop_.clock().now();
    if (connection_ == nullptr) return fail(error_, running);
    lease_ = Lease(pool_, *connection_);
    if (cancelled_) return lease_.release();
    trace_.end(granted_at_);
    trace_.add(Phase::wakeup, granted_at_, running);
    if (lease_->ready()) {
      trace_.begin(Phase::cpu, running);
      return sink_.success(std::move(lease_));
    }
    trace_.begin(Phase::connection, running);
    open();
  }

 private:
  /// From any thread. With the post this object belongs to the loop again, and may be gone.
  void tell() {
    if (loop_.post(*this)) return;
    const auto self = std::move(in_line_);  // the loop has ended, nobody will come for it
    if (connection_ != nullptr) pool_.release(*connection_);
  }

  std::shared_ptr<Acquisition> leave_line() {
    loop_.gauge().end(io::WaitReason::connection);
    return std::move(in_line_);
  }

  void time_is_up() {
    if (!pool_.cancel(*this)) return;  // the news is on its way and must be taken: a connection may hang on it
    const auto self = leave_line();
    fail(pool_timeout(pool_), loop_.clock().now());
  }

  void cancel() {
    cancelled_ = true;
    timer_.cancel();
    if (in_line_) {
      if (pool_.cancel(*this)) leave_line();
      return;  // else run() gives back what was granted
    }
    wait_.cancel();
    if (opening_) loop_.gauge().end(io::WaitReason::connection);
    opening_ = false;
    reconnect_.reset();
    if (lease_ && !lease_->ready()) lease_->mark_broken();
    lease_.release();
  }

  void open() {
    reconnect_.emplace(*lease_, pool_.statements(), loop_.clock().now(), deadline_);
    opening_ = true;
    loop_.gauge().begin(io::WaitReason::connection);
    open_on();
  }

  void open_on() {
    const auto again = [self = shared_from_this()](io::Woken) { self->open_on(); };
    switch (reconnect_->step(loop_.clock().now())) {
      case ReconnectStep::want_read:
        wait_ = await_ready(loop_, lease_->source(), io::Interest::read, reconnect_->give_up(), again);
        return;
      case ReconnectStep::want_write:
        wait_ = await_ready(loop_, lease_->source(), io::Interest::write, reconnect_->give_up(), again);
        return;
      case ReconnectStep::pause:
        wait_ = loop_.timers().schedule_at(reconnect_->pause_until(), [again] { again({}); });
        return;
      case ReconnectStep::done:
        opened();
        return succeed();
      case ReconnectStep::failed:
        const Error error = reconnect_->error();
        opened();
        lease_.release();
        return fail(error, loop_.clock().now());
    }
  }

  void opened() {
    loop_.gauge().end(io::WaitReason::connection);
    opening_ = false;
    wait_ = {};
    reconnect_.reset();
  }

  void succeed() {
    trace_.turn(Phase::cpu, loop_.clock().now());
    sink_.success(std::move(lease_));
  }
  void fail(const Error& error, Ns now) {
    if (cancelled_) return;
    trace_.turn(Phase::cpu, now);
    sink_.error(error);
  }

  ConnectionPool& pool_;
  EventLoop& loop_;
  const Deadline deadline_;
  measure::PhaseTrace& trace_;
  MonoSink<Lease> sink_;

  // Keeps this alive while the pool has a pointer to it.
  std::shared_ptr<Acquisition> in_line_;
  Connection* connection_ = nullptr;
  Ns granted_at_ = 0;
  Error error_;

  bool cancelled_ = false;
  bool opening_ = false;
  reactive::TimerHandle timer_;
  reactive::TimerHandle wait_;
  Lease lease_;
  std::optional<Reconnect> reconnect_;
};

}  // namespace

reactive::Mono<Lease> acquire_mono(ConnectionPool& pool, EventLoop& loop, Deadline deadline,
                                   measure::PhaseTrace& trace) {
  return reactive::Mono<Lease>::create([&pool, &loop, deadline, &trace](MonoSink<Lease> sink) {
    std::make_shared<Acquisition>(pool, loop, deadline, trace, std::move(sink))->start();
  });
}

}  // namespace parkbench::postgres
