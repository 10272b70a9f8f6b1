#include "parkbench/workload/run_blocking.hpp"

#include <gtest/gtest.h>

#include "parkbench/workload/mixed/share.hpp"
#include "workload/manual_waiter.hpp"

namespace parkbench::workload {
namespace {

using measure::Outcome;
using measure::Phase;

class EveryKind : public ::testing::Test {
 protected:
  const measure::Request& run(std::uint64_t number = 0) {
    request = {};
    request.number = number;
    Resources resources(options, clock);
    clock.set(kSecond);
    request.accepted = clock.now();
    run_blocking(resources, request, waiter);
    pins = resources.pins.load();
    return request;
  }
  ManualClock clock{1};
  testing::ManualWaiter waiter{clock};
  Options options;
  measure::Request request;
  std::uint64_t pins = 0;
};

TEST_F(EveryKind, gateway_gives_the_length_of_the_body) {
  options.kind = Kind::gateway;
  EXPECT_EQ(run().outcome, Outcome::ok);
  EXPECT_EQ(request.answer, 13);
  EXPECT_EQ(request.trace.spent(Phase::downstream), 50 * kMillisecond);
}

TEST_F(EveryKind, gateway_without_the_token_fails) {
  options.kind = Kind::gateway;
  options.gateway.token = "t";
  EXPECT_EQ(run().error, ErrorCode::status_4xx);
}

TEST_F(EveryKind, cpu_waits_for_nothing) {
  options.kind = Kind::cpu;
  options.alloc_kib = 64;
  EXPECT_EQ(run().outcome, Outcome::ok);
  EXPECT_TRUE(waiter.reasons.empty());
}

TEST_F(EveryKind, file_is_read_whole_and_holds_no_carrier_on_a_thread_of_its_own) {
  options.kind = Kind::file;
  options.file_kib = 70;
  EXPECT_EQ(run().answer, 70 * 1024);
  EXPECT_EQ(pins, 0U);
}

TEST_F(EveryKind, stream_counts_its_rows) {
  options.kind = Kind::stream;
  options.row_every = kMillisecond;
  EXPECT_EQ(run().answer, 100);
  EXPECT_EQ(request.trace.spent(Phase::app_wait), 99 * kMillisecond);
}

TEST_F(EveryKind, mixed_sleeps_long_for_some_numbers) {
  options.kind = Kind::mixed;
  std::uint64_t slow = 0;
  while (mixed::length_of(options, slow) != options.slow) ++slow;
  run(slow);
  EXPECT_EQ(request.trace.spent(Phase::app_wait), options.slow);
  std::uint64_t fast = 0;
  while (mixed::length_of(options, fast) != options.fast) ++fast;
  run(fast);
  EXPECT_EQ(request.trace.spent(Phase::app_wait), options.fast);
}

TEST_F(EveryKind, mixed_makes_its_share_slow) {
  int slow = 0;
  for (std::uint64_t number = 0; number < 20'000; ++number) slow += mixed::length_of(options, number) == options.slow;
  EXPECT_NEAR(slow, 1000, 100);
  options.slow_share = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) EXPECT_EQ(mixed::length_of(options, number), options.fast);
  options.slow_share = 1;
  for (std::uint64_t number = 0; number < 1000; ++number) EXPECT_EQ(mixed::length_of(options, number), options.slow);
}

TEST_F(EveryKind, a_request_that_is_late_does_nothing) {
  options.kind = Kind::sleep;
  Resources resources(options, clock);
  request.deadline = Deadline::at(1);
  run_blocking(resources, request, waiter);
  EXPECT_EQ(request.outcome, Outcome::timed_out);
  EXPECT_TRUE(waiter.reasons.empty());
}

}  // namespace
}  // namespace parkbench::workload
