#pragma once

#include <algorithm>
#include <atomic>

#include "parkbench/base/clock.hpp"

namespace parkbench::workload::gateway {

/// Tokens come in evenly and up to a tenth of a second's worth of them is kept; a request takes one or is refused.
/// One atomic word: the time at which the bucket will be full again (the generic cell rate algorithm of ATM).
class TokenBucket {
 public:
  /// @param rate tokens per second; 0 or less: no limit.
  explicit TokenBucket(double rate)
      : interval_(rate > 0 ? std::max<Ns>(1, static_cast<Ns>(static_cast<double>(kSecond) / rate + 0.5)) : 0),
        depth_(std::max(interval_, kSecond / 10)) {}

  bool take(Ns now) {
    if (interval_ == 0) return true;
    Ns full = full_at_.load(std::memory_order_relaxed);
    for (;;) {
      const Ns next = std::max(full, now) + interval_;
      if (next - now > depth_) return false;
      if (full_at_.compare_exchange_weak(full, next, std::memory_order_relaxed)) return true;
    }
  }

 private:
  const Ns interval_;
  const Ns depth_;
  std::atomic<Ns> full_at_{0};
};

}  // namespace parkbench::workload::gateway
