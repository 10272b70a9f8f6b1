#pragma once

#include <mutex>

#include "parkbench/base/timer_queue.hpp"
#include "parkbench/reactive/timers.hpp"

namespace parkbench::reactive {

/// Timers whose clock is moved by hand; advance runs what is due, in order, on the calling thread. Must outlive cancels
/// of its timers; those still set when it ends are dropped uncalled.
class VirtualTimers final : public Timers {
 public:
  explicit VirtualTimers(Ns start = 0) : clock_(start) {}
  VirtualTimers(const VirtualTimers&) = delete;
  VirtualTimers& operator=(const VirtualTimers&) = delete;
  ~VirtualTimers();

  Ns now() const override { return clock_.now(); }
  TimerHandle schedule_at(Ns due, UniqueFunction<void()> f) override;

  /// Moves time to `to`; each function sees its own due time as now(), or later if it was set in the past.
  void advance_to(Ns to);
  void advance(Ns by) { advance_to(now() + by); }
  const Clock& clock() const { return clock_; }
  /// Timers set and neither called nor cancelled.
  std::size_t pending() const;

 private:
  struct Entry;
  Ref<Entry> pop(Ns until);

  ManualClock clock_;
  mutable std::mutex mutex_;
  TimerQueue queue_;  // holds one reference to each entry
};

}  // namespace parkbench::reactive
