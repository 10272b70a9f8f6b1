#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parkbench::thread_pool {

/// What happens to a task that finds the queue full.
enum class RejectionPolicy : std::uint8_t {
  reject,       // refused at once, counted as rejected
  caller_runs,  // runs on the submitting thread, which slows the sender down
  block,        // the submitting thread waits for room
};

std::optional<RejectionPolicy> rejection_policy(std::string_view name);

}  // namespace parkbench::thread_pool
