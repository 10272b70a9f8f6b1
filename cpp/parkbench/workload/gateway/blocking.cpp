#include "parkbench/workload/gateway/blocking.hpp"

#include <deque>

#include "parkbench/client/await_call.hpp"
#include "parkbench/measure/phase.hpp"
#include "parkbench/workload/gateway/gateway.hpp"
#include "parkbench/workload/gateway/timed.hpp"
#include "parkbench/workload/pinned.hpp"

namespace parkbench::workload::gateway {
namespace {

using measure::Phase;
using Verdict = CircuitBreaker::Verdict;

class BlockingGateway {
 public:
  BlockingGateway(Resources& resources, measure::Request& request, io::Waiter& waiter, const Inbound& inbound)
      : resources_(resources),
        gateway_(resources.gateway),
        options_(gateway_.options()),
        request_(request),
        trace_(request.trace),
        waiter_(&waiter),
        inbound_(inbound) {}

  Passed run() {
    const Ns now = resources_.clock.now();
    if (auto refused = gateway_.filter(inbound_, now)) return std::move(*refused);
    deadline_ = gateway_.patience(request_, now);
    if (options_.filter_lock == FilterLock::none) return pass(now);
    // A pool's worker is there to be blocked: for it both kinds of lock are the same.
    if (options_.filter_lock == FilterLock::pinning && Pinned::would_pin()) return pass_pinned();
    return pass_locked();
  }

 private:
  Passed pass_locked() {
    trace_.turn(Phase::app_wait, resources_.clock.now());
    resources_.lock_waiting.fetch_add(1, std::memory_order_relaxed);
    const io::Woken woken = gateway_.parking_lock().lock(*waiter_, deadline_);
    resources_.lock_waiting.fetch_sub(1, std::memory_order_relaxed);
    const Ns running = woken.running != 0 ? woken.running : resources_.clock.now();
    if (woken.timed_out) {
      trace_.turn(Phase::cpu, running);
      throw Failure(told_as(timed_out(), request_, running));
    }
    trace_.end(woken.running != 0 ? woken.told : running);
    if (woken.running != 0) trace_.add(Phase::wakeup, woken.told, running);
    trace_.begin(Phase::cpu, running);
    struct Unlock {
      FifoLock& lock;
      ~Unlock() { lock.unlock(); }
    } const unlock{gateway_.parking_lock()};
    return pass(running);
  }

  /// The carrier or loop is held from the asking for the lock until the answer has come.
  Passed pass_pinned() {
    const Pinned pinned(resources_, PinSection::filter_lock);
    trace_.turn(Phase::app_wait, resources_.clock.now());
    resources_.lock_waiting.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard lock(gateway_.pinning_lock());
    resources_.lock_waiting.fetch_sub(1, std::memory_order_relaxed);
    const Ns locked = resources_.clock.now();
    trace_.turn(Phase::cpu, locked);
    waiter_ = &gateway_.pinned_waiter();
    return pass(locked);
  }

  Passed pass(Ns now) {
    const Gateway::Admission admission = gateway_.enter(now);
    if (admission.refused != ErrorCode::none) throw Failure(refusal(admission.refused));
    try {
      Joined joined;
      if (options_.downstream == Downstream::timer) {
        pass_time(joined);
      } else {
        call(joined, gateway_.downstream_request(inbound_, now));
      }
      Passed passed = joined.take();
      gateway_.leave(admission, verdict_on(passed), resources_.clock.now());
      return passed;
    } catch (const Failure& failure) {
      const Ns ended = resources_.clock.now();
      gateway_.leave(admission, Verdict::bad, ended);
      throw Failure(told_as(failure.error(), request_, ended));
    } catch (...) {
      gateway_.leave(admission, Verdict::unknown, resources_.clock.now());
      throw;
    }
  }

  void pass_time(Joined& joined) {
    const bool at_once = options_.aggregate_order == AggregateOrder::parallel;
    for (int i = 0; i < options_.aggregate; ++i) {
      if (i == 0 || !at_once) {
        const Ns now = resources_.clock.now();
        sleep(now, at_once ? delay_of_all(resources_, request_, now) : delay_of_call(resources_, request_, i, now));
      }
      joined.add(timed_answer());
    }
  }

  void sleep(Ns now, Ns length) {
    trace_.turn(Phase::downstream, now);
    const Deadline due = Deadline::at(now + length).earlier(deadline_);
    const io::Woken woken = waiter_->sleep_until(due.when(), io::WaitReason::io);
    trace_.end(woken.told);
    trace_.add(Phase::wakeup, woken.told, woken.running);
    trace_.begin(Phase::cpu, woken.running);
    if (due.when() < now + length) throw Failure(timed_out());
  }

  void call(Joined& joined, const std::string& text) {
    if (options_.aggregate > 1 && options_.aggregate_order == AggregateOrder::parallel) return call_all(joined, text);
    for (int i = 0; i < options_.aggregate; ++i) {
      joined.add(client::await_call(gateway_.client(), text, *waiter_, deadline_, trace_));
    }
  }

  /// All are sent before the first answer is waited for. Where connections are limited, a request that has some never
  /// stands in line for more: two such could wait for each other.
  void call_all(Joined& joined, const std::string& text) {
    std::deque<client::BlockingCall> calls;  // they do not move
    client::CallTimes times;
    const auto collect = [&](client::BlockingCall& call) {
      joined.add(call.finish());
      if (call.times().told > times.told) {
        times.told = call.times().told;
        times.running = call.times().running;
      }
    };
    times.asked = resources_.clock.now();
    try {
      std::size_t collected = 0;
      for (int i = 0; i < options_.aggregate; ++i) {
        auto& call = calls.emplace_back(gateway_.client(), *waiter_, deadline_);
        while (!call.begin(text, collected + 1 == calls.size())) collect(calls[collected++]);
        if (i == 0) {
          times.line_told = call.times().line_told;
          times.line_running = call.times().line_running;
        }
        times.sent = call.times().sent;
      }
      while (collected < calls.size()) collect(calls[collected++]);
    } catch (...) {
      times.told = 0;
      times.running = resources_.clock.now();
      client::record(trace_, times);
      throw;
    }
    client::record(trace_, times);
  }

  Resources& resources_;
  Gateway& gateway_;
  const GatewayOptions& options_;
  measure::Request& request_;
  measure::PhaseTrace& trace_;
  io::Waiter* waiter_;
  const Inbound& inbound_;
  Deadline deadline_ = Deadline::never();
};

}  // namespace

Passed run_blocking(Resources& resources, measure::Request& request, io::Waiter& waiter, const Inbound& inbound) {
  return BlockingGateway(resources, request, waiter, inbound).run();
}

}  // namespace parkbench::workload::gateway
