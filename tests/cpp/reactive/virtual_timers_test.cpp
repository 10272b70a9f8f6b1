#include "parkbench/reactive/virtual_timers.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace parkbench::reactive {
namespace {

TEST(VirtualTimers, run_in_order_and_see_their_own_time) {
  VirtualTimers timers;
  std::vector<Ns> seen;
  const auto note = [&] { seen.push_back(timers.now()); };
  timers.schedule_at(30, note);
  timers.schedule_at(10, [&] {
    note();
    timers.schedule_at(20, note);
    timers.schedule_at(5, note);  // in the past: at once, time does not go back
  });
  timers.advance_to(25);
  EXPECT_EQ(seen, (std::vector<Ns>{10, 10, 20}));
  EXPECT_EQ(timers.now(), 25);
  EXPECT_EQ(timers.pending(), 1U);
  timers.advance(5);
  EXPECT_EQ(seen.back(), 30);
}

TEST(VirtualTimers, cancel_drops_what_is_held) {
  VirtualTimers timers;
  const auto held = std::make_shared<int>(0);
  const auto timer = timers.schedule_at(1, [held] { FAIL(); });
  timer.cancel();
  timer.cancel();
  EXPECT_EQ(held.use_count(), 1);
  timers.advance(10);
}

TEST(VirtualTimers, drop_what_is_left_at_their_end) {
  const auto held = std::make_shared<int>(0);
  {
    VirtualTimers().schedule_at(1, [held] { FAIL(); });
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace parkbench::reactive
