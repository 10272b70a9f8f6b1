#include "parkbench/load/schedule.hpp"

#include <gtest/gtest.h>

namespace parkbench::load {
namespace {

TEST(Schedule, a_closed_user_is_due_when_free_plus_think_time) {
  const LoadPlan plan{.users = 2, .arrivals = {.think = 50}};
  Schedule schedule(plan);
  schedule.begin(100);
  EXPECT_EQ(schedule.take(100)->user, 0U);
  EXPECT_EQ(schedule.take(100)->user, 1U);
  EXPECT_FALSE(schedule.take(100));
  EXPECT_TRUE(schedule.idle());
  schedule.user_free(1, 200);
  EXPECT_EQ(schedule.next().when(), 250);
  EXPECT_FALSE(schedule.take(249));
  const auto due = schedule.take(260);
  ASSERT_TRUE(due);
  EXPECT_EQ(due->at, 250);
  EXPECT_EQ(due->free, 250);
  EXPECT_EQ(due->user, 1U);
}

class OpenSchedule : public ::testing::Test {
 protected:
  const LoadPlan plan_{.users = 2,
                       .arrivals = {.kind = Arrivals::Kind::constant, .rate = 1e9 / 100},  // every 100 ns
                       .timeout = 1'000};
  Schedule schedule_{plan_};
};

TEST_F(OpenSchedule, the_user_that_became_free_last_takes_the_next_request) {
  schedule_.begin(0);
  const auto first = schedule_.take(0);
  EXPECT_EQ(first->at, 0);
  EXPECT_EQ(first->user, 0U);
  schedule_.user_free(0, 20);
  EXPECT_EQ(schedule_.next().when(), 100);
  EXPECT_FALSE(schedule_.take(99));
  const auto second = schedule_.take(105);
  EXPECT_EQ(second->at, 100);
  EXPECT_EQ(second->free, 100);
  EXPECT_EQ(second->user, 0U) << "one connection is enough for this rate";
}

TEST_F(OpenSchedule, waits_while_nobody_is_free) {
  schedule_.begin(0);
  EXPECT_TRUE(schedule_.take(500));
  EXPECT_TRUE(schedule_.take(500));
  EXPECT_FALSE(schedule_.take(500));
  EXPECT_EQ(schedule_.next().when(), 200 + 1'000) << "nothing to do before someone is free or its time is up";
  schedule_.user_free(1, 700);
  const auto due = schedule_.take(720);
  EXPECT_EQ(due->at, 200);
  EXPECT_EQ(due->free, 700);
}

TEST_F(OpenSchedule, a_request_waited_for_whoever_was_free_first) {
  schedule_.begin(0);
  schedule_.take(0);
  schedule_.take(100);
  schedule_.user_free(0, 210);
  schedule_.user_free(1, 290);
  // The last one free sends it, but it could have gone out when the first one was free.
  const auto due = schedule_.take(300);
  EXPECT_EQ(due->user, 1U);
  EXPECT_EQ(due->free, 210);
}

TEST_F(OpenSchedule, a_request_that_waited_too_long_is_taken_out) {
  schedule_.begin(0);
  schedule_.take(0);
  schedule_.take(100);
  EXPECT_FALSE(schedule_.take_expired(1'199));
  EXPECT_EQ(schedule_.take_expired(1'200), 200);
  EXPECT_FALSE(schedule_.take_expired(1'200));
}

TEST_F(OpenSchedule, counts_who_waits) {
  schedule_.begin(0);
  schedule_.take(0);
  schedule_.take(100);
  const auto waiting = schedule_.waiting(250, 500);  // due at 200, 300 and 400
  EXPECT_EQ(waiting.count, 2U);
  EXPECT_EQ(waiting.waited, 250 + 200 + 100);
  EXPECT_TRUE(schedule_.due_before(201));
  EXPECT_FALSE(schedule_.due_before(200));
}

}  // namespace
}  // namespace parkbench::load
