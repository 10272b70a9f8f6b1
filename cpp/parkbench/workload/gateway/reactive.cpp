#include "parkbench/workload/gateway/reactive.hpp"

#include <memory>
#include <vector>

#include "parkbench/client/loop_call.hpp"
#include "parkbench/measure/phase.hpp"
#include "parkbench/reactive/scalar.hpp"
#include "parkbench/workload/gateway/blocking.hpp"
#include "parkbench/workload/gateway/gateway.hpp"
#include "parkbench/workload/gateway/timed.hpp"

namespace parkbench::workload::gateway {
namespace {

using measure::Phase;
using reactive::EventLoop;
using reactive::Ref;
using Verdict = CircuitBreaker::Verdict;

/// One request on its way through the gateway. Everything but granted() happens on the loop's thread. One object
/// instead of a chain of operators: at 50,000 requests a second their allocations would be what is measured.
class GatewayRun final : public reactive::Scalar<Passed, client::CallListener>,
                         private FifoLock::Turn,
                         private reactive::Task {
 public:
  GatewayRun(Resources& resources, measure::Request& request, EventLoop& loop, const Inbound& inbound,
             Ref<reactive::Subscriber<Passed>> downstream)
      : Scalar(std::move(downstream)),
        resources_(resources),
        gateway_(resources.gateway),
        options_(gateway_.options()),
        request_(request),
        trace_(request.trace),
        loop_(loop),
        inbound_(inbound) {}

  void start() {
    announce();
    if (ended()) return;
    const Ns now = loop_.clock().now();
    if (auto refused = gateway_.filter(inbound_, now)) return emit(std::move(*refused));
    deadline_ = gateway_.patience(request_, now);
    if (options_.filter_lock == FilterLock::none) return pass(now);
    lock(now);
  }

 private:
  enum class Stage : unsigned char { fresh, in_line, at_downstream, over };

  // --- The lock of the filter. ---

  void lock(Ns now) {
    stage_ = Stage::in_line;
    in_line_ = Ref<GatewayRun>(this);
    loop_.gauge().begin(io::WaitReason::app_wait);
    resources_.lock_waiting.fetch_add(1, std::memory_order_relaxed);
    trace_.turn(Phase::app_wait, now);
    if (gateway_.parking_lock().lock_or_wait(*this)) {
      locked_at_ = now;
      return run();
    }
    if (deadline_.is_never()) return;
    timer_ = loop_.timers().schedule_at(deadline_.when(), [self = Ref<GatewayRun>(this)] { self->no_lock(); });
  }

  /// From any thread. With the post this object belongs to the loop again, and may be gone.
  void granted(Ns at) override {
    locked_at_ = at;
    if (loop_.post(*this)) return;
    const auto self = std::move(in_line_);  // the loop has ended, nobody will come for it
    gateway_.parking_lock().unlock();
  }

  /// The lock is this request's.
  void run() override {
    const auto self = leave_line();
    locked_ = true;
    if (stage_ == Stage::over) return unlock();
    timer_.cancel();
    const Ns running = loop_.clock().now();
    trace_.end(locked_at_);
    trace_.add(Phase::wakeup, locked_at_, running);
    trace_.begin(Phase::cpu, running);
    pass(running);
  }

  void no_lock() {
    if (stage_ != Stage::in_line || !gateway_.parking_lock().cancel(*this)) return;  // else it is being handed over
    const auto self = leave_line();
    trace_.turn(Phase::cpu, loop_.clock().now());
    stop(timed_out());
  }

  Ref<GatewayRun> leave_line() {
    loop_.gauge().end(io::WaitReason::app_wait);
    resources_.lock_waiting.fetch_sub(1, std::memory_order_relaxed);
    return std::move(in_line_);
  }

  void unlock() {
    if (std::exchange(locked_, false)) gateway_.parking_lock().unlock();
  }

  // --- The downstream. ---

  void pass(Ns now) {
    admission_ = gateway_.enter(now);
    if (admission_.refused != ErrorCode::none) {
      stage_ = Stage::over;
      unlock();
      return fail(refusal(admission_.refused));
    }
    stage_ = Stage::at_downstream;
    if (options_.downstream == Downstream::timer) return pass_time();
    text_ = gateway_.downstream_request(inbound_, now);
    const bool at_once = options_.aggregate_order == AggregateOrder::parallel;
    left_ = options_.aggregate;
    for (int i = 0; i < (at_once ? options_.aggregate : 1); ++i) {
      calls_.push_back(std::make_unique<client::LoopCall>(*this, gateway_.client(), loop_));
    }
    for (std::size_t i = 0; i < calls_.size() && stage_ == Stage::at_downstream; ++i)
      calls_[i]->start(text_, deadline_);
  }

  void call_over(client::LoopCall& call) noexcept override {
    if (stage_ != Stage::at_downstream) return;
    if (call.has_failed()) {
      client::record(trace_, call.times());
      return stop(call.error());
    }
    --left_;
    if (options_.aggregate_order == AggregateOrder::sequential || left_ == 0) {
      client::record(trace_, call.times());  // of calls at the same time the last one is the critical path
    }
    if (options_.aggregate_order == AggregateOrder::sequential) joined_.add(std::move(call.answer()));
    if (left_ > 0) {
      if (options_.aggregate_order == AggregateOrder::sequential) call.start(text_, deadline_);
      return;
    }
    if (options_.aggregate_order == AggregateOrder::parallel) {
      for (const auto& each : calls_) joined_.add(std::move(each->answer()));
    }
    succeed();
  }

  void pass_time() {
    const Ns now = loop_.clock().now();
    const bool at_once = options_.aggregate_order == AggregateOrder::parallel;
    const int index = timed_++;
    const Ns end =
        now + (at_once ? delay_of_all(resources_, request_, now) : delay_of_call(resources_, request_, index, now));
    const Deadline due = Deadline::at(end).earlier(deadline_);
    trace_.turn(Phase::downstream, now);
    loop_.gauge().begin(io::WaitReason::io);
    sleeping_ = true;
    timer_ = loop_.timers().schedule_at(due.when(), [self = Ref<GatewayRun>(this), due, late = due.when() < end,
                                                     at_once] { self->time_passed(due.when(), late, at_once); });
  }

  void time_passed(Ns told, bool late, bool at_once) {
    end_sleep();
    const Ns running = loop_.clock().now();
    trace_.end(told);
    trace_.add(Phase::wakeup, told, running);
    trace_.begin(Phase::cpu, running);
    if (late) return stop(timed_out());
    joined_.add(timed_answer());
    if (!at_once && timed_ < options_.aggregate) return pass_time();
    for (; at_once && timed_ < options_.aggregate; ++timed_) joined_.add(timed_answer());
    succeed();
  }

  void end_sleep() {
    if (std::exchange(sleeping_, false)) loop_.gauge().end(io::WaitReason::io);
    timer_ = {};
  }

  // --- The end. ---

  void succeed() {
    Passed passed = joined_.take();
    finish(verdict_on(passed));
    emit(std::move(passed));
  }
  void stop(const Error& error) {
    Error told = told_as(error, request_, loop_.clock().now());
    finish(Verdict::bad);
    fail(std::move(told));
  }

  /// Gives back what the request holds: its calls, its place at the downstream, the lock.
  void finish(Verdict verdict) {
    const bool entered = stage_ == Stage::at_downstream;
    stage_ = Stage::over;
    for (const auto& call : calls_) call->cancel();
    if (entered) gateway_.leave(admission_, verdict, loop_.clock().now());
    unlock();
  }

  void let_go(bool from_below) noexcept override {
    if (!from_below) return;
    timer_.cancel();
    end_sleep();
    if (stage_ == Stage::in_line && gateway_.parking_lock().cancel(*this)) leave_line();  // else run() unlocks
    finish(Verdict::unknown);
  }

  Resources& resources_;
  Gateway& gateway_;
  const GatewayOptions& options_;
  measure::Request& request_;
  measure::PhaseTrace& trace_;
  EventLoop& loop_;
  const Inbound inbound_;
  Deadline deadline_ = Deadline::never();
  Stage stage_ = Stage::fresh;
  bool locked_ = false;
  bool sleeping_ = false;
  int timed_ = 0;
  int left_ = 0;
  Ns locked_at_ = 0;
  Gateway::Admission admission_;
  reactive::TimerHandle timer_;
  Ref<GatewayRun> in_line_;  // while the lock has a pointer to this
  std::string text_;
  std::vector<std::unique_ptr<client::LoopCall>> calls_;
  Joined joined_;
};

class GatewaySource final : public reactive::Node<reactive::Publisher<Passed>> {
 public:
  GatewaySource(Resources& resources, measure::Request& request, EventLoop& loop, const Inbound& inbound)
      : resources_(resources), request_(request), loop_(loop), inbound_(inbound) {}
  void subscribe(Ref<reactive::Subscriber<Passed>> downstream) noexcept override {
    reactive::make_ref<GatewayRun>(resources_, request_, loop_, inbound_, std::move(downstream))->start();
  }

 private:
  Resources& resources_;
  measure::Request& request_;
  EventLoop& loop_;
  const Inbound inbound_;
};

}  // namespace

reactive::Mono<Passed> run_reactive(Resources& resources, measure::Request& request, EventLoop& loop,
                                    const Inbound& inbound) {
  using Answer = reactive::Mono<Passed>;
  if (resources.options.gateway.filter_lock == FilterLock::pinning) {
    // With an OS lock held nothing may be left for a later turn of the loop: the call is made by blocking, here.
    return Answer::defer([&resources, &request, inbound] {
      return Answer::just(run_blocking(resources, request, resources.gateway.pinned_waiter(), inbound));
    });
  }
  return Answer(reactive::make_ref<GatewaySource>(resources, request, loop, inbound));
}

}  // namespace parkbench::workload::gateway
