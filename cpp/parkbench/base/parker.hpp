#pragma once

#include <atomic>
#include <cstdint>

#include "parkbench/base/deadline.hpp"

namespace parkbench {

/// Blocks one OS thread until a permit is given: a binary semaphore on a futex.
///
/// unpark() may come first: then the next park() returns at once and consumes it; two permits are one. Must outlive
/// every unpark(), late ones too.
class Parker {
 public:
  /// @return false when the deadline passed without a permit.
  bool park(const Clock& clock, Deadline deadline);
  void unpark();

 private:
  enum State : std::uint32_t { kEmpty = 0, kPermit = 1, kWaiting = 2 };
  std::atomic<std::uint32_t> state_{kEmpty};
};

}  // namespace parkbench
