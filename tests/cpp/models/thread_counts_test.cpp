#include "parkbench/models/thread_counts.hpp"

#include <gtest/gtest.h>

#include "workload/manual_waiter.hpp"

namespace parkbench::models {
namespace {

std::int64_t all(const Counters& counters) {
  std::int64_t sum = 0;
  for (const std::int64_t threads : counters.threads) sum += threads;
  return sum;
}

TEST(ThreadCounts, every_thread_is_in_one_state) {
  Counters counters;
  thread_pool::ThreadPool pool({.workers = 3});
  add_workers(counters, pool);
  EXPECT_EQ(all(counters), 3);
  virtual_threads::Scheduler scheduler({.carriers = 2, .uncaught = {}});
  add_carriers(counters, scheduler);
  EXPECT_EQ(all(counters), 5);
  reactive::LoopGroup loops(2);
  add_loops(counters, loops);
  EXPECT_EQ(all(counters), 7);
  io::ThreadStateCell cell;
  cell.set(io::ThreadState::pinned);
  io::WaitGauge gauge;
  gauge.begin(io::WaitReason::connection);
  add_thread(counters, cell, gauge);
  EXPECT_EQ(counters.threads[static_cast<std::size_t>(io::ThreadState::pinned)], 1);
  EXPECT_EQ(counters.requests_waiting[static_cast<std::size_t>(io::WaitReason::connection)], 1);
  scheduler.stop();
}

TEST(ThreadCounts, a_loop_that_was_in_time_has_no_lag) {
  ManualClock clock{kSecond};
  reactive::LoopGroup loops(2, {.clock = &clock});
  loops.start();
  loops.loop(1).lag().start();
  loops.stop();
  Counters counters;
  add_loops(counters, loops);
  EXPECT_EQ(counters.loop_looks, 0U);
  EXPECT_EQ(counters.loop_lag_most, 0);
}

TEST(ThreadCounts, pins_keep_their_sections_apart) {
  workload::Resources resources(workload::testing::without_database(workload::Kind::noop), SteadyClock::instance());
  resources.pins = 2;
  resources.pinned[static_cast<std::size_t>(workload::PinSection::file_read)] = 7;
  Counters counters;
  add_pins(counters, resources);
  EXPECT_EQ(counters.pins, 2U);
  EXPECT_EQ(counters.pinned[static_cast<std::size_t>(workload::PinSection::file_read)], 7);
  EXPECT_EQ(counters.pinned[static_cast<std::size_t>(workload::PinSection::lock)], 0);
}

}  // namespace
}  // namespace parkbench::models
