#pragma once

#include "parkbench/base/timer_queue.hpp"
#include "parkbench/reactive/timers.hpp"

namespace parkbench::reactive {

class EventLoop;

/// The timers of one loop. The heap belongs to the loop's thread; other threads post to it.
class LoopTimers final : public Timers {
 public:
  LoopTimers(EventLoop& loop, const Clock& clock) : loop_(loop), clock_(clock) {}
  LoopTimers(const LoopTimers&) = delete;
  LoopTimers& operator=(const LoopTimers&) = delete;
  ~LoopTimers() { drop_all(); }

  Ns now() const override { return clock_.now(); }
  TimerHandle schedule_at(Ns due, UniqueFunction<void()> f) override;

  /// The rest is for the loop's thread. Calls what is due, a few dozen at most; one look at the clock for all.
  void run_due();
  Deadline next() const { return queue_.next(); }
  void drop_all();

 private:
  struct Entry;
  EventLoop& loop_;
  const Clock& clock_;
  TimerQueue queue_;  // holds one reference to each entry
};

}  // namespace parkbench::reactive
