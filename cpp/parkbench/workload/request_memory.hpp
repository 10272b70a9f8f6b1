#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace parkbench::workload {

/// What one request allocates and touches; gives its place in the planted limit back when it ends.
class RequestMemory {
 public:
  RequestMemory() = default;
  RequestMemory(std::vector<char> memory, std::atomic<std::int64_t>* taken)
      : memory_(std::move(memory)), taken_(taken) {}
  RequestMemory(RequestMemory&& other) noexcept
      : memory_(std::move(other.memory_)), taken_(std::exchange(other.taken_, nullptr)) {}
  RequestMemory& operator=(RequestMemory&& other) noexcept {
    if (this != &other) {
      release();
      memory_ = std::move(other.memory_);
      taken_ = std::exchange(other.taken_, nullptr);
    }
    return *this;
  }
  ~RequestMemory() { release(); }

  void release() {
    if (taken_ != nullptr) taken_->fetch_sub(static_cast<std::int64_t>(memory_.size()), std::memory_order_relaxed);
    taken_ = nullptr;
    std::vector<char>().swap(memory_);
  }

 private:
  std::vector<char> memory_;
  std::atomic<std::int64_t>* taken_ = nullptr;  // of the planted limit; null: there is none
};

}  // namespace parkbench::workload
