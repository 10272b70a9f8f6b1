#pragma once

#include "parkbench/virtual_threads/semaphore.hpp"

namespace parkbench::virtual_threads {

/// Mutual exclusion between virtual threads and OS threads; satisfies BasicLockable. Given in the order of asking. The
/// holder may park, and may unlock on another carrier.
class Mutex {
 public:
  void lock() { semaphore_.acquire(); }
  bool try_lock() { return semaphore_.try_acquire(); }
  /// False: not had by then.
  bool lock_until(Deadline deadline) { return semaphore_.acquire_until(deadline); }
  void unlock() { semaphore_.release(); }

 private:
  Semaphore semaphore_{1};
};

}  // namespace parkbench::virtual_threads
