#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <string>

#include "parkbench/base/error.hpp"

namespace parkbench::workload {

/// The text of the first error of each kind: three hundred equal lines say no more than one.
class FirstErrors {
 public:
  void keep(const Error& error) {
    const auto kind = static_cast<std::size_t>(error.code);
    if (seen_[kind].exchange(true, std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    texts_[kind] = error.message;
  }
  std::string text(ErrorCode code) const {
    const std::lock_guard lock(mutex_);
    return texts_[static_cast<std::size_t>(code)];
  }

 private:
  std::array<std::atomic<bool>, kErrorCodes> seen_{};
  mutable std::mutex mutex_;
  std::array<std::string, kErrorCodes> texts_;
};

}  // namespace parkbench::workload
