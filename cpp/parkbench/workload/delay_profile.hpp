#pragma once

#include <cstdint>

#include "parkbench/workload/options.hpp"

namespace parkbench::workload {

/// How long the downstream takes for one request: base, or what the ramp has made of it, or `slow` during the
/// brown-out; and up to `jitter` on top. The same for the same arguments, so that a run can be repeated.
/// @param number of the request, decides on the jitter. @param since_opened since the window opened; negative: not yet.
Ns delay_of(const Delay& delay, std::uint64_t number, Ns since_opened);

}  // namespace parkbench::workload
