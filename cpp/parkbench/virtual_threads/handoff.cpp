#include "parkbench/virtual_threads/handoff.hpp"

namespace parkbench::virtual_threads {

bool Handoff::wait(Deadline deadline, const Clock& clock) {
  if (thread_ == nullptr) {
    if (deadline.is_never()) return signal_.wait(-1);
    for (;;) {
      const Ns now = clock.now();
      if (signal_.wait(deadline.left(now))) return true;
      if (deadline.passed(now)) return false;
    }
  }
  // A permit that was meant for somebody else's park() is given back: the thread sees it as one early return.
  bool foreign_permit = false;
  bool timed_out = false;
  while (!given_.load(std::memory_order_acquire) && !timed_out) {
    timed_out = park(deadline);
    foreign_permit = foreign_permit || (!timed_out && !given_.load(std::memory_order_acquire));
  }
  if (foreign_permit) unpark(*thread_);
  return given_.load(std::memory_order_acquire);
}

void Handoff::give() {
  if (thread_ == nullptr) {
    signal_.set();
    return;
  }
  VirtualThread& thread = *thread_;
  given_.store(true, std::memory_order_release);
  // From here on this object may be gone; the descriptor is not.
  unpark(thread);
}

}  // namespace parkbench::virtual_threads
