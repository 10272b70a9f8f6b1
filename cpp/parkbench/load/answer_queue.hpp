#pragma once

#include <atomic>

#include "parkbench/base/parker.hpp"
#include "parkbench/measure/request.hpp"

namespace parkbench::load {

/// Answered requests on their way back: any thread pushes, the generator takes all of them at once.
///
/// A lock-free list that is taken whole, so that a burst costs the generator one exchange, and at most one wake-up:
/// only a push that finds the generator asleep pays for waking it.
class AnswerQueue {
 public:
  void push(measure::Request& request);
  /// Everything pushed so far, linked by Request::next in the order of the pushes; null when there is nothing.
  measure::Request* take_all();
  bool empty() const { return head_.load(std::memory_order_relaxed) == nullptr; }
  /// Sleeps until there is something to take, poke() is called or the deadline passes.
  void wait(const Clock& clock, Deadline deadline);
  /// Makes a wait in progress, or the next one, return.
  void poke();

 private:
  alignas(64) std::atomic<measure::Request*> head_{nullptr};
  alignas(64) std::atomic<bool> asleep_{false};
  std::atomic<bool> poked_{false};
  Parker parker_;
};

}  // namespace parkbench::load
