#include "parkbench/workload/delay_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace parkbench::workload {
namespace {

TEST(Delay, is_the_base_when_nothing_else_is_asked_for) {
  EXPECT_EQ(delay_of({}, 1, -1), 50 * kMillisecond);
  EXPECT_EQ(delay_of({}, 2, 100 * kSecond), 50 * kMillisecond);
}

TEST(Delay, is_slow_during_the_brown_out_and_only_then) {
  Delay delay;
  delay.slow = 5 * kSecond;
  delay.slow_from = 2 * kSecond;
  delay.slow_until = 4 * kSecond;
  EXPECT_EQ(delay_of(delay, 1, -1), delay.base);
  EXPECT_EQ(delay_of(delay, 1, delay.slow_from - 1), delay.base);
  EXPECT_EQ(delay_of(delay, 1, delay.slow_from), delay.slow);
  EXPECT_EQ(delay_of(delay, 1, delay.slow_until - 1), delay.slow);
  EXPECT_EQ(delay_of(delay, 1, delay.slow_until), delay.base);
}

TEST(Delay, grows_along_the_ramp_and_stays_there) {
  Delay delay;
  delay.base = 100;
  delay.ramp_to = 300;
  delay.ramp_time = 1000;
  EXPECT_EQ(delay_of(delay, 1, -1), 100);
  EXPECT_EQ(delay_of(delay, 1, 0), 100);
  EXPECT_EQ(delay_of(delay, 1, 500), 200);
  EXPECT_EQ(delay_of(delay, 1, 1000), 300);
  EXPECT_EQ(delay_of(delay, 1, 5000), 300);
}

TEST(Delay, jitter_is_spread_evenly_and_belongs_to_the_number) {
  Delay delay;
  delay.base = 1000;
  delay.jitter = 9;
  std::array<int, 10> seen{};
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    const Ns length = delay_of(delay, number, 0);
    ASSERT_GE(length, 1000);
    ASSERT_LE(length, 1009);
    EXPECT_EQ(length, delay_of(delay, number, 0));
    ++seen[static_cast<std::size_t>(length - 1000)];
  }
  EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 800);
  EXPECT_LT(*std::max_element(seen.begin(), seen.end()), 1200);
}

}  // namespace
}  // namespace parkbench::workload
