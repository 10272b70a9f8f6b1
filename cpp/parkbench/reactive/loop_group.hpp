#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "parkbench/reactive/event_loop.hpp"

namespace parkbench::reactive {

/// A fixed number of loops, usually one per CPU.
class LoopGroup {
 public:
  /// @param loops at least 1. @param options of each loop; its number is put after the name.
  /// @throws std::invalid_argument when loops is 0.
  explicit LoopGroup(std::size_t loops, const EventLoopOptions& options = {});

  void start();
  /// Stops them one after the other; tasks that a later loop posts to an earlier one are then refused.
  void stop();

  /// The loops in turn; any thread.
  EventLoop& next() { return *loops_[turn_.fetch_add(1, std::memory_order_relaxed) % loops_.size()]; }
  EventLoop& loop(std::size_t index) { return *loops_.at(index); }
  const EventLoop& loop(std::size_t index) const { return *loops_.at(index); }
  std::size_t size() const { return loops_.size(); }

 private:
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::atomic<std::size_t> turn_{0};
};

}  // namespace parkbench::reactive
