#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "parkbench/virtual_threads/context.hpp"
#include "parkbench/virtual_threads/run_queue.hpp"
#include "parkbench/virtual_threads/seam.hpp"
#include "parkbench/virtual_threads/signal.hpp"
#include "parkbench/virtual_threads/virtual_thread.hpp"

namespace parkbench::virtual_threads {

class Scheduler;

/// One OS thread that runs virtual threads: its run queue and its loop.
///
/// The loop: the own queue; else half of another carrier's; else what timers and poller have; else sleep, the first
/// idle carrier in the poller, the others on their signals.
class Carrier {
 public:
  Carrier(Scheduler& scheduler, std::uint32_t index) : scheduler_(scheduler), index_(index) {}
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  /// The loop, on the carrier's own OS thread; returns when the scheduler stops.
  void run();

  Scheduler& scheduler() const { return scheduler_; }
  std::uint32_t index() const { return index_; }
  RunQueue& queue() { return queue_; }
  Context& context() { return context_; }
  /// The virtual thread on this carrier, null while the loop itself runs.
  VirtualThread* running() const { return running_.load(std::memory_order_relaxed); }

  /// Makes the carrier look for work, if it sleeps or is about to.
  void wake();
  /// It sleeps in the poller (or is about to). Read by those who hold the lock of IdleSet.
  bool polls() const { return polls_.load(); }

  /// By whoever put threads into the queue, before doing so.
  void count_started(std::int64_t threads) { started_.fetch_add(threads, std::memory_order_relaxed); }
  /// By the finished virtual thread: whoever sees the count sees what it did. A line of its own, so never contended.
  void count_finished() { finished_.fetch_add(1, std::memory_order_release); }
  std::int64_t started() const { return started_.load(std::memory_order_acquire); }
  std::int64_t finished() const { return finished_.load(std::memory_order_acquire); }
  std::uint64_t steals_of_started() const { return steals_of_started_.load(std::memory_order_relaxed); }

  std::atomic<bool> is_idle{false};  // IdleSet's
  bool searches = false;             // IdleSet's while idle, the carrier's own otherwise

 private:
  static constexpr std::uint32_t kSwitchesPerPoll = 64;
  static constexpr std::size_t kFreeKept = 256;
  static constexpr Ns kLookout = kMillisecond;
  static constexpr Ns kLongestLookout = 16 * kMillisecond;

  void execute(Runnable next);
  void settle(VirtualThread& thread, VirtualThread::Leave why);
  bool find_work();
  bool steal();
  void wake_due();
  void begin_work();
  bool sleep();
  void sleep_on_signal();
  VirtualThread* take_free();
  void put_free(VirtualThread& thread);

  Scheduler& scheduler_;
  const std::uint32_t index_;
  Context context_;
  ThreadStatePlace place_;
  std::atomic<VirtualThread*> running_{nullptr};
  std::uint32_t switches_ = 0;
  bool shown_idle_ = true;
  std::atomic<bool> polls_{false};
  Signal signal_;
  Ns lookout_ = kLookout;
  std::vector<VirtualThread*> due_;
  VirtualThread* free_ = nullptr;  // last in, first out: its stack is in the cache
  std::size_t free_count_ = 0;
  std::uint32_t victim_ = 0;
  std::atomic<std::uint64_t> steals_of_started_{0};

  alignas(64) std::atomic<std::int64_t> finished_{0};
  alignas(64) std::atomic<std::int64_t> started_{0};
  RunQueue queue_;
};

}  // namespace parkbench::virtual_threads
