#pragma once

#include <mutex>

#include "parkbench/base/clock.hpp"
#include "parkbench/io/waiter.hpp"

namespace parkbench::workload::gateway {

/// A lock that is handed over in the order of asking, to code of any model: who must wait is told. Thread-safe.
class FifoLock {
 public:
  /// A place in line, embedded in whoever waits. Called at most once, on the unlocking thread, without the inner lock;
  /// not touched after the call has begun.
  class Turn {
   public:
    virtual ~Turn() = default;
    /// The lock is the caller's. @param at when it was handed over.
    virtual void granted(Ns at) = 0;

   private:
    friend class FifoLock;
    Turn* previous_ = nullptr;
    Turn* next_ = nullptr;
    bool in_line_ = false;
  };

  explicit FifoLock(const Clock& clock) : clock_(clock) {}

  /// True: locked. False: turn is in line.
  bool lock_or_wait(Turn& turn);
  /// Leaves the line. False: the lock is being or has been granted, and must be unlocked.
  bool cancel(Turn& turn);
  void unlock();

  /// Waits in line by the waiter. told is when the lock was handed over; both stamps are 0 when nothing was waited for.
  /// @return with timed_out: not locked.
  io::Woken lock(io::Waiter& waiter, Deadline deadline);

 private:
  void unlink(Turn& turn);

  const Clock& clock_;
  std::mutex mutex_;  // guards all below
  bool locked_ = false;
  Turn* first_ = nullptr;
  Turn* last_ = nullptr;
};

}  // namespace parkbench::workload::gateway
