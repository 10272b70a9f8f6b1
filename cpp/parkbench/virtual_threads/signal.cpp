#include "parkbench/virtual_threads/signal.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace parkbench::virtual_threads {

void Signal::set() {
  if (set_.exchange(1, std::memory_order_acq_rel) == 0) {
    syscall(SYS_futex, &set_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

bool Signal::wait(Ns timeout) {
  for (;;) {
    if (set_.exchange(0, std::memory_order_acq_rel) != 0) return true;
    const timespec left{static_cast<time_t>(timeout / kSecond), static_cast<long>(timeout % kSecond)};
    const long woken = syscall(SYS_futex, &set_, FUTEX_WAIT_PRIVATE, 0, timeout < 0 ? nullptr : &left, nullptr, 0);
    // One wait per call when it is timed: a wake-up for no reason only makes the caller look around early.
    if (timeout >= 0 && woken != 0) return set_.exchange(0, std::memory_order_acq_rel) != 0;
  }
}

}  // namespace parkbench::virtual_threads
