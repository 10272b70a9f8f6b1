#include "parkbench/base/parker.hpp"

#include <gtest/gtest.h>

#include "parkbench/base/thread.hpp"

namespace parkbench {
namespace {

const Clock& clock_of_this_machine() { return SteadyClock::instance(); }

TEST(Parker, a_permit_given_before_is_consumed_at_once_and_two_are_one) {
  Parker parker;
  parker.unpark();
  parker.unpark();
  EXPECT_TRUE(parker.park(clock_of_this_machine(), Deadline::never()));
  EXPECT_FALSE(parker.park(clock_of_this_machine(), Deadline::at(0)));
}

TEST(Parker, gives_up_at_its_deadline_on_a_clock_driven_by_hand) {
  Parker parker;
  const ManualClock clock(100);
  EXPECT_FALSE(parker.park(clock, Deadline::at(100)));
  parker.unpark();
  EXPECT_TRUE(parker.park(clock, Deadline::at(100))) << "a permit counts even when the time is up";
}

TEST(Parker, no_wake_up_is_lost_in_a_ping_pong) {
  constexpr int kRounds = 20'000;
  Parker a;
  Parker b;
  Thread other("pong", [&] {
    for (int i = 0; i < kRounds; ++i) {
      b.park(clock_of_this_machine(), Deadline::never());
      a.unpark();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    b.unpark();
    ASSERT_TRUE(a.park(clock_of_this_machine(), Deadline::never()));  // a lost wake-up hangs here
  }
}

TEST(Parker, a_permit_racing_with_the_deadline_is_never_lost) {
  Parker parker;
  int permits = 0;
  constexpr int kGiven = 20'000;
  std::atomic<int> given{0};
  Thread giver("giver", [&] {
    for (int i = 0; i < kGiven; ++i) {
      given.fetch_add(1);
      parker.unpark();
    }
  });
  while (given.load() < kGiven) {
    permits += parker.park(clock_of_this_machine(), Deadline::at(clock_of_this_machine().now() + 1'000)) ? 1 : 0;
  }
  giver.join();
  permits += parker.park(clock_of_this_machine(), Deadline::at(0)) ? 1 : 0;
  EXPECT_GT(permits, 0);
  EXPECT_FALSE(parker.park(clock_of_this_machine(), Deadline::at(0)));
}

}  // namespace
}  // namespace parkbench
