#include "parkbench/workload/gateway/blocking.hpp"

#include <gtest/gtest.h>

#include "workload/manual_waiter.hpp"

namespace parkbench::workload::gateway {
namespace {

using measure::Phase;

/// Straight through on a virtual clock; everything else is in reactive_test.cpp, for all models at once.
class OnManualClock : public ::testing::Test {
 protected:
  Passed pass() {
    Resources resources(options, clock);
    resources.window_opened = window_opened;
    clock.set(kSecond);
    request.trace.begin(Phase::cpu, clock.now());
    Passed passed = run_blocking(resources, request, waiter, {});
    request.trace.end(clock.now());
    return passed;
  }
  ManualClock clock{1};
  workload::testing::ManualWaiter waiter{clock, 3};
  Options options = workload::testing::without_database(Kind::gateway);
  Ns window_opened = 0;
  measure::Request request;
};

TEST_F(OnManualClock, waits_for_the_downstream_and_not_for_itself) {
  EXPECT_EQ(pass().body, "downstream ok");
  EXPECT_EQ(waiter.reasons, std::vector{io::WaitReason::io});
  EXPECT_EQ(request.trace.spent(Phase::downstream), 50 * kMillisecond);
  EXPECT_EQ(request.trace.spent(Phase::wakeup), 3);
  EXPECT_EQ(request.trace.spent(Phase::app_wait), 0);
}

TEST_F(OnManualClock, meets_the_brown_out_once_the_window_is_open) {
  options.gateway.delay.slow = 5 * kSecond;
  options.gateway.delay.slow_until = 10 * kSecond;
  EXPECT_EQ(pass().status, 200);
  EXPECT_EQ(request.trace.spent(Phase::downstream), 50 * kMillisecond);
  request.trace.clear();
  window_opened = kSecond;
  pass();
  EXPECT_EQ(request.trace.spent(Phase::downstream), 5 * kSecond);
}

TEST_F(OnManualClock, gives_up_when_its_patience_ends) {
  options.gateway.delay.base = 11 * kSecond;
  EXPECT_THROW(pass(), Failure);
  EXPECT_EQ(clock.now(), kSecond + options.gateway.downstream_timeout + 3);
}

}  // namespace
}  // namespace parkbench::workload::gateway
