#include "parkbench/base/parker.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace parkbench {
namespace {

// At most this long in the kernel before the clock is read again, so that a hand-driven clock is noticed too.
constexpr Ns kLongestSleep = 3'600 * kSecond;

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, Ns timeout) {
  const timespec wait{static_cast<time_t>(timeout / kSecond), static_cast<long>(timeout % kSecond)};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, &wait, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace

bool Parker::park(const Clock& clock, Deadline deadline) {
  for (;;) {
    std::uint32_t seen = kPermit;
    if (state_.compare_exchange_strong(seen, kEmpty, std::memory_order_acquire)) return true;
    Ns left = kLongestSleep;
    if (!deadline.is_never()) {
      left = deadline.left(clock.now());
      if (left == 0) {
        // Take back the intent to wait; a permit that arrived in between is consumed instead.
        return state_.exchange(kEmpty, std::memory_order_acquire) == kPermit;
      }
      if (left > kLongestSleep) left = kLongestSleep;
    }
    seen = kEmpty;
    if (state_.compare_exchange_strong(seen, kWaiting, std::memory_order_acquire) || seen == kWaiting) {
      futex_wait(state_, kWaiting, left);
    }
  }
}

void Parker::unpark() {
  if (state_.exchange(kPermit, std::memory_order_release) == kWaiting) futex_wake(state_);
}

}  // namespace parkbench
