#pragma once

#include <algorithm>

#include "parkbench/workload/delay_profile.hpp"
#include "parkbench/workload/gateway/gateway.hpp"
#include "parkbench/workload/resources.hpp"

/// Downstream::timer: no call, its answer is made after the delay.
namespace parkbench::workload::gateway {

inline constexpr std::string_view kTimedBody = "downstream ok";

inline client::Answer timed_answer() { return {.status = 200, .body = std::string(kTimedBody), .content_type = {}}; }

/// How long the call `index` of a request takes.
inline Ns delay_of_call(const Resources& resources, const measure::Request& request, int index, Ns now) {
  const GatewayOptions& options = resources.options.gateway;
  const Ns opened = resources.window_opened.load(std::memory_order_relaxed);
  const auto number = request.number * static_cast<std::uint64_t>(options.aggregate) + static_cast<unsigned>(index);
  return delay_of(options.delay, number, opened == 0 ? -1 : now - opened);
}

/// How long all calls of a request take that run at the same time.
inline Ns delay_of_all(const Resources& resources, const measure::Request& request, Ns now) {
  Ns longest = 0;
  for (int i = 0; i < resources.options.gateway.aggregate; ++i) {
    longest = std::max(longest, delay_of_call(resources, request, i, now));
  }
  return longest;
}

inline const Error& timed_out() {
  static const Error error{ErrorCode::timeout, "the answer did not come in time"};
  return error;
}

}  // namespace parkbench::workload::gateway
