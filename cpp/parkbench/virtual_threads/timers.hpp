#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "parkbench/base/timer_queue.hpp"
#include "parkbench/io/poller.hpp"
#include "parkbench/virtual_threads/virtual_thread.hpp"

namespace parkbench::virtual_threads {

/// The deadlines of a scheduler's virtual threads. One queue for all carriers, so that a thread that has moved can
/// disarm its timer by taking a lock; the poller sleeps until the earliest one.
class Timers {
 public:
  explicit Timers(io::Poller& poller) : poller_(poller) {}

  /// Carrier: publishes thread as parked and arms its timer, in one step as seen by fire() and end_park().
  /// False: it had got a permit meanwhile; it is still runnable and nothing is armed.
  bool park(VirtualThread& thread, Ns due);
  /// Carrier: arms the timer of a thread that sleeps.
  void sleep(VirtualThread& thread, Ns due);
  /// The thread itself, after a timed park: disarms. True: the timer woke it.
  bool end_park(VirtualThread& thread);

  /// Adds the threads whose time has come to woken; the caller puts them into a run queue.
  void fire(Ns now, std::vector<VirtualThread*>& woken);
  /// When fire() will next find something; may be out of date.
  Ns next() const { return next_.load(std::memory_order_relaxed); }

  /// The poller goes to sleep: until when? From now on an earlier timer wakes it, until end_wait().
  Ns begin_wait();
  void end_wait();

 private:
  static constexpr Ns kNobodyWaits = std::numeric_limits<Ns>::min();

  void arm(VirtualThread& thread, Ns due, bool sleeps);
  void note_next() { next_.store(queue_.next().when(), std::memory_order_relaxed); }

  io::Poller& poller_;
  std::mutex mutex_;  // guards all below and the `timer` of each virtual thread
  TimerQueue queue_;
  Ns poller_wakes_at_ = kNobodyWaits;
  std::atomic<Ns> next_{Deadline::never().when()};
};

}  // namespace parkbench::virtual_threads
