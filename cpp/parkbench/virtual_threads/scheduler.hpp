#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/thread.hpp"
#include "parkbench/base/unique_function.hpp"
#include "parkbench/io/poller.hpp"
#include "parkbench/io/thread_state.hpp"
#include "parkbench/io/wait_gauge.hpp"
#include "parkbench/virtual_threads/carrier.hpp"
#include "parkbench/virtual_threads/idle_set.hpp"
#include "parkbench/virtual_threads/thread_store.hpp"
#include "parkbench/virtual_threads/timers.hpp"

namespace parkbench::virtual_threads {

/// What an idle carrier may take from a busy one.
enum class Stealing : std::uint8_t {
  started,    // any runnable virtual thread, as Java and Go do
  unstarted,  // only those that have not begun; a virtual thread stays on its first carrier
  off,
};

struct SchedulerOptions {
  int carriers = 1;
  Stealing stealing = Stealing::started;
  std::size_t stack_bytes = 64 * 1024;
  const Clock* clock = &SteadyClock::instance();
  std::string name = "carrier";
  /// Told the text of an exception that left a virtual thread, on that virtual thread. Must not park.
  std::function<void(const std::string& text)> uncaught = {};
};

/// Runs virtual threads on a few OS threads, its carriers.
///
/// A started thread waits as two words in a run queue until a carrier has time; only then it gets a stack, the one
/// that was used last. So a batch of short threads lives on one warm stack per carrier.
class Scheduler {
 public:
  /// Returns when all carriers run.
  explicit Scheduler(SchedulerOptions options);
  /// Stops first.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Starts a virtual thread that runs entry(argument). From any thread, until stop() is called; later from virtual
  /// threads only.
  void start(void (*entry)(void*), void* argument);
  /// One for each argument, spread over the carriers: one lock and at most one wake-up for each of them.
  void start_all(void (*entry)(void*), std::span<void* const> arguments);
  void start(UniqueFunction<void()> body);

  /// Waits until no virtual thread lives, then ends the carriers. From an OS thread.
  void stop();

  /// Started and not finished.
  std::int64_t live() const;
  std::uint64_t steals_of_started() const;
  int carriers() const { return static_cast<int>(carriers_.size()); }
  std::string_view guard_mode() const { return to_string(store_.stacks().guard_mode()); }
  /// Most virtual threads that ever had a stack at once (those that carriers keep for reuse included).
  std::size_t stacks_high_water() const { return store_.stacks().taken(); }
  /// What each carrier does, with its kernel thread id.
  std::span<io::ThreadStateCell> cells() { return cells_; }
  std::span<const io::ThreadStateCell> cells() const { return cells_; }
  /// Requests that wait, by reason, one gauge per carrier.
  std::span<io::WaitGauge> gauges() { return gauges_; }
  std::span<const io::WaitGauge> gauges() const { return gauges_; }

  /// Exceptions that left a virtual thread (or the lack of memory that kept one from starting), and the last one's
  /// text.
  std::uint64_t uncaught_exceptions() const { return uncaught_count_.load(std::memory_order_acquire); }
  std::string last_uncaught() const;

  const Clock& clock() const { return *options_.clock; }
  io::Poller& poller() { return poller_; }
  /// A clock that is driven by hand was moved: look at the timers.
  void clock_moved() { poller_.wake(); }

  // --- The rest is for the layer itself. ---

  /// Puts a virtual thread that was just made runnable into a run queue.
  void enqueue(VirtualThread& thread);
  Timers& timers() { return timers_; }
  IdleSet& idle() { return idle_; }
  Stealing stealing() const { return options_.stealing; }
  RunQueue::Take stealable() const {
    return stealing() == Stealing::started ? RunQueue::Take::any : RunQueue::Take::only_unstarted;
  }
  Carrier& carrier(std::size_t index) { return *carriers_[index]; }

  void carrier_ready(const Carrier& carrier, int thread_id);
  /// A look under each queue's lock, the last one before sleeping.
  bool has_work_for(Carrier& carrier);
  void wake_searcher();
  void wake_all();
  bool is_over() const { return stopping_.load() && live() == 0; }

  /// One thread polls at a time: true makes it the caller.
  bool begin_polling() { return !polling_.exchange(true, std::memory_order_acquire); }
  void end_polling() { polling_.store(false, std::memory_order_release); }
  void poll_if_nobody_does();
  void poll_until_timer();
  std::uint64_t poll_epoch() const { return poll_epoch_.load(std::memory_order_relaxed); }
  bool begin_lookout() { return !lookout_.exchange(true, std::memory_order_relaxed); }
  void end_lookout() { lookout_.store(false, std::memory_order_relaxed); }

  VirtualThread* more_free(std::size_t& count);
  void give_free(VirtualThread* list, std::size_t count) { store_.give(list, count); }
  /// Inside a catch handler: an exception has left a virtual thread.
  void caught_at_the_end();

 private:
  void wake_for_work_of(Carrier& carrier);
  void report(const std::string& text);

  const SchedulerOptions options_;
  io::Poller poller_;
  Timers timers_;
  IdleSet idle_;
  ThreadStore store_;
  std::vector<std::unique_ptr<Carrier>> carriers_;
  std::vector<io::ThreadStateCell> cells_;
  std::vector<io::WaitGauge> gauges_;
  std::atomic<std::uint32_t> next_carrier_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> polling_{false};
  std::atomic<bool> lookout_{false};
  std::atomic<std::uint64_t> poll_epoch_{0};
  std::atomic<std::uint64_t> uncaught_count_{0};
  mutable std::mutex uncaught_mutex_;  // guards last_uncaught_
  std::string last_uncaught_;
  std::latch ready_;
  std::vector<Thread> threads_;  // last: ends before what it uses
};

}  // namespace parkbench::virtual_threads
