#pragma once

#include <atomic>
#include <cstdint>

#include "parkbench/base/deadline.hpp"
#include "parkbench/base/timer_queue.hpp"
#include "parkbench/virtual_threads/context.hpp"
#include "parkbench/virtual_threads/seam.hpp"
#include "parkbench/virtual_threads/stack.hpp"

namespace parkbench::virtual_threads {

class Scheduler;

/// The descriptor of a virtual thread, tied to one stack and used again for the next virtual thread on it. Never freed
/// before its scheduler, so that a late unpark hits at worst a successor, as one spurious wake-up.
class VirtualThread {
 public:
  VirtualThread(Scheduler& scheduler, Stack stack) : scheduler_(scheduler), stack_(stack) {}
  VirtualThread(const VirtualThread&) = delete;
  VirtualThread& operator=(const VirtualThread&) = delete;

  Scheduler& scheduler() const { return scheduler_; }
  /// The number of its stack; shown in messages.
  std::uint64_t number() const { return stack_.number; }

  // --- The rest is for the layer itself. ---

  /// What a wake-up has to do. The thread is in a run queue exactly from the moment somebody turned parked into
  /// notified until a carrier takes it, so that one wake-up and no more puts it there.
  enum class ParkState : std::uint8_t {
    running,   // runs, or is runnable, and has no permit
    notified,  // has a permit: the next park returns at once, or the one that was parked is being woken
    parked,    // off its stack completely: whoever turns this into notified puts it into a run queue
  };
  /// Why it left its stack: what the carrier does with it once it is off.
  enum class Leave : std::uint8_t { yield, park, sleep, finish };

  /// Carrier: gives it something to run.
  void begin(void (*entry)(void*), void* argument);
  /// Carrier: goes on with it until it leaves.
  Leave run(Context& carrier, const ThreadStatePlace& place);
  /// Carrier, after a park: false when a permit came meanwhile and the thread is still runnable.
  bool publish_parked();
  /// True: it was parked, and the caller must put it into a run queue.
  bool notify() { return park_state_.exchange(ParkState::notified, std::memory_order_acq_rel) == ParkState::parked; }
  /// As notify, but leaves no permit behind when it was not parked.
  bool notify_if_parked();

  /// The running virtual thread itself.
  void leave(Leave why, Deadline wake_at = Deadline::never());
  bool take_permit();
  /// After a park: consumes the permit that ended it.
  void resume() { park_state_.exchange(ParkState::running, std::memory_order_acq_rel); }

  Deadline wake_at() const { return Deadline::at(wake_at_.load(std::memory_order_relaxed)); }
  std::uint32_t home() const { return home_.load(std::memory_order_relaxed); }
  void set_home(std::uint32_t carrier) { home_.store(carrier, std::memory_order_relaxed); }

  struct Timer : TimerNode {
    explicit Timer(VirtualThread& t) : thread(t) {}
    VirtualThread& thread;
    bool sleeps = false;     // wakes by itself, whatever the park state
    bool timed_out = false;  // it was the timer that woke it
  };
  Timer timer{*this};             // guarded by the mutex of Timers
  VirtualThread* next = nullptr;  // in a list of free ones, guarded by that list's owner

 private:
  [[noreturn]] static void main(void* self);
  void finish();

  Scheduler& scheduler_;
  const Stack stack_;
  Context context_;
  ThreadState thread_state_;  // while it is off; touched by carriers only
  bool prepared_ = false;

  std::atomic<ParkState> park_state_{ParkState::running};
  // Between the virtual thread and its carrier there are atomics only: with TSan's no-sync flag the two are threads
  // that nothing orders, save the baton from the carrier to the virtual thread.
  std::atomic<std::uint32_t> baton_{0};
  std::atomic<void (*)(void*)> entry_{nullptr};
  std::atomic<void*> argument_{nullptr};
  std::atomic<Leave> leave_{Leave::yield};
  std::atomic<Ns> wake_at_{0};
  std::atomic<std::uint32_t> home_{0};  // the carrier that ran it last
};

/// Gives up the carrier until unparked or the deadline has passed. A permit given before is consumed at once; two are
/// one. May return for no reason. The thread may go on on another carrier.
/// @return true when it was the deadline.
/// @throws Failure(internal) on an OS thread.
bool park(Deadline deadline = Deadline::never());

/// Gives thread its permit. From any thread, also when it is too late.
void unpark(VirtualThread& thread);

/// Lets the other runnable threads of this carrier go first. On an OS thread: nothing.
void yield();

/// Until the time given: never early, not shortened by unpark, and leaves the permit as it is.
/// @throws Failure(internal) on an OS thread.
void sleep_until(Ns when);

}  // namespace parkbench::virtual_threads
