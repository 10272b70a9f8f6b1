#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "parkbench/io/waiter.hpp"

namespace parkbench::io {

/// How many requests wait, by reason, as seen from one OS thread. A virtual thread may begin a wait here and end it
/// on another carrier: single gauges may go negative, their sum is right.
struct alignas(64) WaitGauge {
  std::array<std::atomic<std::int64_t>, kWaitReasons> waiting{};

  void begin(WaitReason reason) { waiting[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed); }
  void end(WaitReason reason) { waiting[static_cast<std::size_t>(reason)].fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace parkbench::io
