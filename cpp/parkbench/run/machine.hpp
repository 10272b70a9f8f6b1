#pragma once

#include <optional>
#include <string>

#include "parkbench/base/clock.hpp"

namespace parkbench::run {

/// What reading the clock costs here, in nanoseconds: the median of many tries.
double clock_cost_ns();

/// The smallest step that it was seen to make between two reads that differ, in nanoseconds: lengths of time below some
/// twenty of these say little. Where the clock counts single nanoseconds this is what reading it costs.
double clock_resolution_ns();

/// How long it takes from waking a sleeping thread until it runs, in microseconds, the median of a ping-pong. An
/// idle core has to be brought back first, which decides every result at low concurrency.
struct WakeUpCost {
  double same_core_us = 0;
  std::optional<double> cross_core_us;  // empty with one CPU
};
WakeUpCost wake_up_cost();

/// How stacks of virtual threads would be guarded on this machine.
std::string stack_guard_mode();

}  // namespace parkbench::run
