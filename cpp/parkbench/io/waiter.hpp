#pragma once

#include "parkbench/base/clock.hpp"
#include "parkbench/base/deadline.hpp"
#include "parkbench/io/interest.hpp"
#include "parkbench/io/poller.hpp"

namespace parkbench::io {

/// What a request waits for; the words of `threads_on_...`.
enum class WaitReason : std::uint8_t { io, connection, app_wait };
inline constexpr std::size_t kWaitReasons = 3;

/// How a wait ended. told: when it was over (the poller's stamp, the sleep's due time, the stamp of whoever
/// unparked); running: when the caller ran again. Their difference is the phase `wakeup`.
struct Woken {
  bool timed_out = false;
  Ns told = 0;
  Ns running = 0;
};

/// A permit for one parked waiter, usable from any thread and safe to use late: a waiter that has gone on sees at
/// most one spurious wake-up.
class Unparker {
 public:
  using Function = void (*)(void* target);
  Unparker() = default;
  Unparker(Function function, void* target) : function_(function), target_(target) {}
  void unpark() const { function_(target_); }

 private:
  Function function_ = nullptr;
  void* target_ = nullptr;
};

/// Who waits, and how: the one difference between a pool worker (sleeps in the kernel) and a virtual thread (parks
/// and leaves its carrier). Request code is written once over it.
class Waiter {
 public:
  virtual ~Waiter() = default;
  virtual const Clock& clock() const = 0;

  /// Until the descriptor is ready, or perhaps for no reason (callers look again), or the deadline passed.
  virtual Woken wait_ready(IoSource& source, Interest interest, Deadline deadline) = 0;
  /// Until the time given: never early, not shortened by unpark.
  virtual Woken sleep_until(Ns when, WaitReason reason) = 0;
  /// Until unparked: a permit given before is consumed at once, two are one. May return for no reason. told is
  /// filled with running, since only the caller knows when the thing it waits for happened.
  virtual Woken park(Deadline deadline, WaitReason reason) = 0;
  virtual Unparker unparker() = 0;
};

}  // namespace parkbench::io
