#pragma once

#include <atomic>
#include <cstdint>

#include "parkbench/base/clock.hpp"

namespace parkbench::reactive {

class EventLoop;

/// How late a loop is for what comes at an arbitrary moment: something is due every 10 ms, and noted is how long after
/// that the loop got round to it. What was due while the loop was held counts each time, so that the mean is that of a
/// stream of events, not of the loop's turns.
class LoopLag {
 public:
  static constexpr Ns kEvery = 10 * kMillisecond;

  explicit LoopLag(EventLoop& loop) : loop_(loop) {}
  LoopLag(const LoopLag&) = delete;
  LoopLag& operator=(const LoopLag&) = delete;

  /// From now until the loop ends. Once, from any thread.
  void start();
  /// The most begins anew. From any thread.
  void begin_window() { most_.store(0, std::memory_order_relaxed); }

  struct Seen {
    std::uint64_t looks = 0;
    Ns sum = 0;
    Ns most = 0;
  };
  /// From any thread; all 0 where it was not started.
  Seen seen() const;

 private:
  void set(Ns due);
  void look(Ns due);

  EventLoop& loop_;
  std::atomic<std::uint64_t> looks_{0};
  std::atomic<Ns> sum_{0};
  std::atomic<Ns> most_{0};
};

}  // namespace parkbench::reactive
