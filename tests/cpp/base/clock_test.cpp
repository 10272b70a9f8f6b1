#include "parkbench/base/clock.hpp"

#include <gtest/gtest.h>

#include "parkbench/base/deadline.hpp"

namespace parkbench {
namespace {

TEST(Clock, the_steady_one_never_goes_back) {
  const Clock& clock = SteadyClock::instance();
  Ns last = clock.now();
  for (int i = 0; i < 10'000; ++i) {
    const Ns now = clock.now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, the_manual_one_moves_only_when_told) {
  ManualClock clock(5);
  EXPECT_EQ(clock.now(), 5);
  clock.advance(10);
  EXPECT_EQ(clock.now(), 15);
  clock.set(3);
  EXPECT_EQ(clock.now(), 3);
}

TEST(Clock, the_wall_one_counts_seconds_since_1970) {
  EXPECT_GT(unix_seconds(), 1'700'000'000);    // 2023
  EXPECT_LT(unix_seconds(), 253'402'300'800);  // 10000
}

TEST(Clock, cpu_time_grows_with_work) {
  const Ns before = thread_cpu_time();
  while (thread_cpu_time() - before < kMillisecond) {
  }
  SUCCEED();
}

TEST(Deadline, passes_at_its_time_and_never_never) {
  EXPECT_FALSE(Deadline::at(10).passed(9));
  EXPECT_TRUE(Deadline::at(10).passed(10));
  EXPECT_EQ(Deadline::at(10).left(4), 6);
  EXPECT_EQ(Deadline::at(10).left(40), 0);
  EXPECT_TRUE(Deadline::never().is_never());
  EXPECT_FALSE(Deadline::never().passed(Ns{1} << 60));
  EXPECT_EQ(Deadline::at(10).earlier(Deadline::never()).when(), 10);
}

}  // namespace
}  // namespace parkbench
