#pragma once

#include <cstdint>
#include <mutex>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/deadline.hpp"
#include "parkbench/virtual_threads/handoff.hpp"

namespace parkbench::virtual_threads {

/// Permits, given in the order of asking. A virtual thread that waits parks, an OS thread sleeps; both may use the same
/// semaphore. A permit that is released goes straight to the first in line, nobody can overtake it.
class Semaphore {
 public:
  explicit Semaphore(std::int64_t permits, const Clock& clock = SteadyClock::instance())
      : clock_(clock), permits_(permits) {}

  void acquire() { acquire_until(Deadline::never()); }
  /// False: no permit by then.
  bool acquire_until(Deadline deadline);
  bool try_acquire();
  void release(std::int64_t permits = 1);

 private:
  /// One in line; on the stack of the thread that waits.
  struct Waiting {
    Handoff handoff;
    Waiting* before = nullptr;
    Waiting* after = nullptr;
    bool in_line = false;
  };
  void enter(Waiting& waiting);
  void leave(Waiting& waiting);

  const Clock& clock_;
  std::mutex mutex_;  // guards all below; never held across a park
  std::int64_t permits_;
  Waiting* first_ = nullptr;
  Waiting* last_ = nullptr;
};

}  // namespace parkbench::virtual_threads
