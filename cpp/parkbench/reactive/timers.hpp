#pragma once

#include "parkbench/base/clock.hpp"
#include "parkbench/base/unique_function.hpp"
#include "parkbench/reactive/streams.hpp"

namespace parkbench::reactive {

/// A timer that was set. Letting it go does not cancel it.
class TimerHandle {
 public:
  TimerHandle() = default;
  explicit TimerHandle(Ref<Subscription> timer) : timer_(std::move(timer)) {}

  /// Any thread, any number of times, also late. The callback may be under way on its own thread.
  void cancel() const {
    if (timer_) timer_->cancel();
  }
  /// The timer as something that can be cancelled, to be kept in a SubscriptionSlot; null when none was set.
  Subscription* subscription() const { return timer_.get(); }

 private:
  Ref<Subscription> timer_;
};

/// Calls functions at given times. Operators that need time are given one: a loop's, or VirtualTimers in tests.
class Timers {
 public:
  virtual Ns now() const = 0;
  /// Calls f once, not before due, on the thread that drives these timers. Any thread.
  virtual TimerHandle schedule_at(Ns due, UniqueFunction<void()> f) = 0;

 protected:
  ~Timers() = default;
};

}  // namespace parkbench::reactive
