#include "parkbench/run/machine.hpp"

#include <gtest/gtest.h>

#include "parkbench/base/thread.hpp"

namespace parkbench::run {
namespace {

TEST(Machine, says_what_clock_and_wake_ups_cost) {
  EXPECT_GT(clock_cost_ns(), 0);
  EXPECT_GT(clock_resolution_ns(), 0);
  EXPECT_LT(clock_resolution_ns(), static_cast<double>(kMillisecond)) << "a clock of ticks";
  const WakeUpCost cost = wake_up_cost();
  EXPECT_GT(cost.same_core_us, 0);
  EXPECT_EQ(cost.cross_core_us.has_value(), usable_cpus() > 1);
}

TEST(Machine, names_a_known_guard_mode) {
  const std::string mode = stack_guard_mode();
  EXPECT_FALSE(mode.empty());
}

}  // namespace
}  // namespace parkbench::run
