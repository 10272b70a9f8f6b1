#pragma once

#include <cstddef>
#include <vector>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/deadline.hpp"

namespace parkbench {

/// A timer's place in a TimerQueue; embedded in whatever waits, so arming allocates nothing.
struct TimerNode {
  Ns due = 0;
  std::size_t index = kIdle;  // position in the heap, kIdle when not armed

  static constexpr std::size_t kIdle = static_cast<std::size_t>(-1);
  bool armed() const { return index != kIdle; }
};

/// Deadlines in order: an intrusive 4-ary heap, exact to the nanosecond. Not thread-safe: its owner locks.
/// A heap and no wheel, because a wheel's tick would add up to a tick to each sleep.
class TimerQueue {
 public:
  /// Arms node for due; a node already armed is moved.
  void arm(TimerNode& node, Ns due);
  /// Disarms node; false when it was not armed.
  bool cancel(TimerNode& node);
  /// Takes out the earliest node that is due, or null.
  TimerNode* pop_due(Ns now);
  Deadline next() const { return heap_.empty() ? Deadline::never() : Deadline::at(heap_.front()->due); }
  std::size_t size() const { return heap_.size(); }

 private:
  void place(std::size_t index, TimerNode* node);
  void sift_up(std::size_t index);
  void sift_down(std::size_t index);

  std::vector<TimerNode*> heap_;
};

}  // namespace parkbench
