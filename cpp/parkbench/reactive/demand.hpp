#pragma once

#include <atomic>
#include <string>

#include "parkbench/base/error.hpp"
#include "parkbench/reactive/streams.hpp"

namespace parkbench::reactive {

/// How many elements a subscriber still allows. Saturates at kUnbounded and then stays there (rules 3.8, 3.17).
/// It is the drain lock as well: who raises it from 0 delivers, until produced() has brought it back to 0.
class Demand {
 public:
  static constexpr bool valid(std::int64_t n) { return n > 0; }
  /// The error for a request that is not valid (rule 3.9).
  static Error refusal(std::int64_t n) {
    return {ErrorCode::internal, "request(" + std::to_string(n) + "): rule 3.9 asks for a positive number"};
  }
  static constexpr std::int64_t sum(std::int64_t a, std::int64_t b) { return b > kUnbounded - a ? kUnbounded : a + b; }

  /// Adds a valid n. @return what was held before; 0 makes the caller the one who delivers.
  std::int64_t add(std::int64_t n) {
    std::int64_t held = held_.load(std::memory_order_acquire);
    while (held != kUnbounded && !held_.compare_exchange_weak(held, sum(held, n), std::memory_order_acq_rel)) {
    }
    return held;
  }
  /// Takes off n delivered elements (n <= held). @return what is left; at 0 the caller must stop delivering.
  std::int64_t produced(std::int64_t n) {
    if (held_.load(std::memory_order_acquire) == kUnbounded) return kUnbounded;
    // Saturating meanwhile is fine: the difference is then a huge number instead of none.
    return held_.fetch_sub(n, std::memory_order_acq_rel) - n;
  }
  std::int64_t held() const { return held_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::int64_t> held_{0};
};

}  // namespace parkbench::reactive
