#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "parkbench/base/error.hpp"

namespace parkbench::workload {

/// What is said of a std::bad_alloc.
inline constexpr const char* kNoMemory = "there was no memory for the request";

/// The text of the first error of each kind: three hundred equal lines say no more than one.
class FirstErrors {
 public:
  void keep(const Error& error) {
    const auto kind = static_cast<std::size_t>(error.code);
    if (seen_[kind].fetch_add(1, std::memory_order_relaxed) != 0) return;
    const std::lock_guard lock(mutex_);
    texts_[kind] = error.message;
  }
  std::string text(ErrorCode code) const {
    const std::lock_guard lock(mutex_);
    return texts_[static_cast<std::size_t>(code)];
  }

  /// How many of each kind so far.
  std::array<std::uint64_t, kErrorCodes> counts() const {
    std::array<std::uint64_t, kErrorCodes> counts{};
    for (std::size_t kind = 0; kind < kErrorCodes; ++kind) counts[kind] = seen_[kind].load(std::memory_order_relaxed);
    return counts;
  }

 private:
  std::array<std::atomic<std::uint64_t>, kErrorCodes> seen_{};
  mutable std::mutex mutex_;
  std::array<std::string, kErrorCodes> texts_;
};

}  // namespace parkbench::workload
