#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "parkbench/base/thread.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"

namespace parkbench::virtual_threads {

/// Moves the calling virtual thread to another carrier: a helper makes it runnable on the carrier that they share and
/// then holds that carrier until somebody else has taken the caller. Needs Stealing::started and one
/// carrier more than there are threads that migrate at once.
/// @return kernel thread ids before and after, which differ.
inline std::pair<int, int> migrate(Scheduler& scheduler) {
  const int before = current_thread_id();
  for (;;) {
    VirtualThread* self = current();
    auto moved = std::make_shared<std::atomic<bool>>(false);
    auto given = std::make_shared<std::atomic<bool>>(false);
    scheduler.start([self, moved, given] {
      given->store(true);
      unpark(*self);
      moved->wait(false);  // blocks the carrier on purpose
    });
    while (!given->load()) park();
    moved->store(true);
    moved->notify_all();
    if (const int after = current_thread_id(); after != before) return {before, after};
  }
}

}  // namespace parkbench::virtual_threads
