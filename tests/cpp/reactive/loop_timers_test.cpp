#include "parkbench/reactive/loop_timers.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <vector>

#include "parkbench/base/thread.hpp"
#include "parkbench/reactive/event_loop.hpp"

namespace parkbench::reactive {
namespace {

class LoopTimersTest : public testing::Test {
 protected:
  ~LoopTimersTest() override { loop_.stop(); }
  EventLoop loop_;
};

TEST_F(LoopTimersTest, call_in_order_of_due_times_and_never_early) {
  std::vector<int> log;
  std::latch done(3);
  Ns early = 0;
  const Ns start = loop_.timers().now();
  const auto set = [&](int number, Ns after) {
    loop_.timers().schedule_at(start + after, [&, number, after] {
      log.push_back(number);
      if (loop_.timers().now() < start + after) ++early;
      done.count_down();
    });
  };
  set(3, 6 * kMillisecond);
  set(1, 2 * kMillisecond);
  set(2, 4 * kMillisecond);
  loop_.start();
  done.wait();
  loop_.stop();
  EXPECT_EQ(log, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(early, 0);
}

TEST_F(LoopTimersTest, an_earlier_timer_set_from_outside_interrupts_the_sleep) {
  loop_.start();
  std::latch done(1);
  loop_.timers().schedule_at(loop_.timers().now() + 3600 * kSecond, [] { FAIL(); });
  loop_.timers().schedule_at(loop_.timers().now() + kMillisecond, [&] { done.count_down(); });
  done.wait();
}

TEST_F(LoopTimersTest, a_cancelled_timer_is_not_called_and_lets_go_of_what_it_held) {
  auto held = std::make_shared<int>(0);
  loop_.start();
  const auto timer = loop_.timers().schedule_at(loop_.timers().now() + 3600 * kSecond, [held] { FAIL(); });
  std::latch armed(1);
  loop_.post([&] { armed.count_down(); });
  armed.wait();
  timer.cancel();
  timer.cancel();
  loop_.stop();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(LoopTimersTest, cancelled_before_it_reached_the_loop) {
  auto held = std::make_shared<int>(0);
  loop_.timers().schedule_at(0, [held] { FAIL(); }).cancel();
  loop_.start();
  loop_.stop();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(LoopTimersTest, stop_drops_timers_uncalled) {
  auto held = std::make_shared<int>(0);
  loop_.start();
  loop_.timers().schedule_at(loop_.timers().now() + 3600 * kSecond, [held] { FAIL(); });
  loop_.stop();
  EXPECT_EQ(held.use_count(), 1);
  loop_.timers().schedule_at(0, [held] { FAIL(); }).cancel();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(LoopTimersTest, a_timer_may_cancel_itself_and_set_the_next) {
  loop_.start();
  std::latch done(1);
  TimerHandle self;
  loop_.post([&] {
    self = loop_.timers().schedule_at(0, [&] {
      self.cancel();
      loop_.timers().schedule_at(0, [&] { done.count_down(); });
    });
  });
  done.wait();
  loop_.stop();
}

TEST_F(LoopTimersTest, cancel_races_with_the_call) {
  loop_.start();
  std::atomic<int> called{0};
  constexpr int kRounds = 2'000;
  for (int i = 0; i < kRounds; ++i) {
    const auto timer = loop_.timers().schedule_at(loop_.timers().now() + i % 5 * kMicrosecond, [&] { ++called; });
    if (i % 3 == 0) sched_yield();
    timer.cancel();
  }
  loop_.stop();
  EXPECT_LE(called.load(), kRounds);
}

}  // namespace
}  // namespace parkbench::reactive
