#include "parkbench/reactive/loop_lag.hpp"

#include <gtest/gtest.h>

#include <future>

#include "parkbench/reactive/event_loop.hpp"

namespace parkbench::reactive {
namespace {

class Lag : public ::testing::Test {
 protected:
  Lag() {
    loop_.start();
    loop_.lag().start();
    turn();
  }
  /// The loop has looked at its timers once more.
  void turn() {
    for (int i = 0; i < 2; ++i) {
      std::promise<void> done;
      loop_.post([&] { done.set_value(); });
      done.get_future().get();
    }
  }
  ManualClock clock_{kSecond};
  EventLoop loop_{{.clock = &clock_}};
};

TEST_F(Lag, nothing_is_seen_before_something_was_due) {
  EXPECT_EQ(loop_.lag().seen().looks, 0U);
  clock_.advance(LoopLag::kEvery);
  turn();
  EXPECT_EQ(loop_.lag().seen().looks, 1U);
  EXPECT_EQ(loop_.lag().seen().sum, 0) << "in time";
}

TEST_F(Lag, everything_that_was_due_while_the_loop_was_held_counts) {
  clock_.advance(35 * kMillisecond);
  turn();
  const auto seen = loop_.lag().seen();
  EXPECT_EQ(seen.looks, 3U);
  EXPECT_EQ(seen.sum, (25 + 15 + 5) * kMillisecond);
  EXPECT_EQ(seen.most, 25 * kMillisecond);
  clock_.advance(5 * kMillisecond);
  turn();
  EXPECT_EQ(loop_.lag().seen().looks, 4U) << "and it goes on at the old beat";
  EXPECT_EQ(loop_.lag().seen().sum, seen.sum);
}

TEST_F(Lag, the_most_is_that_of_the_window) {
  clock_.advance(50 * kMillisecond);
  turn();
  loop_.lag().begin_window();
  EXPECT_EQ(loop_.lag().seen().most, 0);
  clock_.advance(12 * kMillisecond);
  turn();
  EXPECT_EQ(loop_.lag().seen().most, 2 * kMillisecond);
}

TEST(LoopLag, a_loop_that_nobody_asked_looks_at_nothing) {
  EventLoop loop;
  loop.start();
  EXPECT_EQ(loop.lag().seen().looks, 0U);
}

}  // namespace
}  // namespace parkbench::reactive
