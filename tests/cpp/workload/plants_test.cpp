#include "parkbench/workload/plants.hpp"

#include <gtest/gtest.h>

#include <future>

#include "parkbench/base/thread.hpp"
#include "parkbench/io/blocking_waiter.hpp"
#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/virtual_threads/parking_waiter.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"
#include "parkbench/workload/resources.hpp"
#include "workload/manual_waiter.hpp"

namespace parkbench::workload {
namespace {

using measure::Phase;

Options planted(const Plant& plant) {
  Options options = testing::without_database(Kind::noop);
  options.plant = plant;
  return options;
}

TEST(Plants, nothing_is_planted_unless_asked_for) {
  const Resources resources(planted({}), SteadyClock::instance());
  EXPECT_FALSE(resources.plants.any());
  EXPECT_FALSE(Resources(planted({.memory = 1}), SteadyClock::instance()).plants.any()) << "not at the begin";
}

TEST(Plants, a_worker_waits_every_nth_request) {
  ManualClock clock{1};
  testing::ManualWaiter waiter(clock);
  Resources resources(planted({.stall = 5 * kMillisecond, .stall_every = 3}), clock);
  ASSERT_TRUE(resources.plants.any());
  Ns waited = 0;
  for (int i = 0; i < 9; ++i) {
    measure::Request request;
    request.trace.begin(Phase::cpu, clock.now());
    resources.plants.begin(resources, request, &waiter);
    waited += request.trace.spent(Phase::app_wait);
  }
  EXPECT_EQ(waited, 15 * kMillisecond);
  EXPECT_EQ(resources.pins.load(), 0U) << "a worker is there to be blocked";
}

/// What one request at a carrier or loop came to.
struct Outcome {
  Ns cpu = 0;
  Ns app_wait = 0;
};
Outcome begin_one(Resources& resources, io::Waiter* waiter) {
  measure::Request request;
  request.trace.begin(Phase::cpu, resources.clock.now());
  resources.plants.begin(resources, request, waiter);
  request.trace.end(resources.clock.now());
  return {request.trace.spent(Phase::cpu), request.trace.spent(Phase::app_wait)};
}

TEST(Plants, a_carrier_is_held_and_says_so) {
  Resources resources(planted({.pin = kMillisecond}), SteadyClock::instance());
  virtual_threads::Scheduler scheduler({.uncaught = {}});
  virtual_threads::ParkingWaiter waiter(scheduler);
  std::promise<Outcome> done;
  scheduler.start([&] { done.set_value(begin_one(resources, &waiter)); });
  const Outcome outcome = done.get_future().get();
  EXPECT_GE(outcome.cpu, kMillisecond);
  EXPECT_EQ(resources.pins.load(), 1U);
  EXPECT_GE(resources.pinned[static_cast<std::size_t>(PinSection::blocking_call)].load(), kMillisecond);
  scheduler.stop();
}

TEST(Plants, a_loop_is_held_by_the_lock_it_holds) {
  Resources resources(planted({.lock = 200 * kMicrosecond}), SteadyClock::instance());
  reactive::EventLoop loop;
  loop.start();
  std::promise<Outcome> done;
  loop.post([&] { done.set_value(begin_one(resources, nullptr)); });
  EXPECT_GE(done.get_future().get().app_wait, 200 * kMicrosecond);
  EXPECT_GE(resources.pinned[static_cast<std::size_t>(PinSection::lock)].load(), 200 * kMicrosecond);
  EXPECT_EQ(resources.lock_waiting.load(), 0);
}

TEST(Plants, workers_hold_the_lock_one_after_the_other_and_those_who_wait_are_counted) {
  constexpr Ns kHeld = kMillisecond;
  Resources resources(planted({.lock = kHeld}), SteadyClock::instance());
  const Clock& clock = resources.clock;
  std::atomic<std::int64_t> most{0};
  const Ns begun = clock.now();
  std::vector<Thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back("worker", [&] {
      io::ThreadStateCell cell;
      io::WaitGauge gauge;
      io::BlockingWaiter waiter(clock, cell, gauge);
      for (int round = 0; round < 5; ++round) {
        begin_one(resources, &waiter);
        most = std::max(most.load(), resources.lock_waiting.load());
      }
    });
  }
  workers.clear();
  EXPECT_GE(clock.now() - begun, 20 * kHeld) << "never two at once";
  EXPECT_GT(most.load(), 0);
  EXPECT_EQ(resources.lock_waiting.load(), 0);
}

TEST(Plants, requests_share_the_planted_memory) {
  Resources resources(planted({.memory = 100 * 1024}), SteadyClock::instance());
  auto one = resources.plants.memory(60);
  EXPECT_THROW(resources.plants.memory(60), std::bad_alloc);
  const auto small = resources.plants.memory(40);
  one.release();
  EXPECT_NO_THROW(resources.plants.memory(60));
  EXPECT_NO_THROW(resources.plants.memory(60)) << "what went out of scope is given back";
  RequestMemory moved = std::move(one);
  moved = resources.plants.memory(60);
  EXPECT_THROW(resources.plants.memory(60), std::bad_alloc) << "held by whom it was moved to";
}

TEST(Plants, without_a_limit_memory_is_only_the_machines_business) {
  Resources resources(planted({}), SteadyClock::instance());
  const auto one = resources.plants.memory(60'000);
  EXPECT_NO_THROW(resources.plants.memory(60'000));
}

TEST(Plants, a_hidden_cache_answers_the_second_time) {
  Resources resources(planted({.hidden_cache = true}), SteadyClock::instance());
  EXPECT_FALSE(resources.plants.cached(7).has_value());
  resources.plants.planted(7, {.product = 7, .price_minor = 100, .percent_hundredths = 0, .final_minor = 100});
  ASSERT_TRUE(resources.plants.cached(7).has_value());
  EXPECT_EQ(resources.plants.cached(7)->final_minor, 100);
  EXPECT_FALSE(resources.plants.cached(8).has_value());
}

TEST(Plants, a_constant_answer_is_the_same_for_everything) {
  Resources resources(planted({.constant_price = 1}), SteadyClock::instance());
  EXPECT_EQ(resources.plants.planted(7, {.final_minor = 500}).final_minor, 1);
  EXPECT_FALSE(resources.plants.cached(7).has_value()) << "nobody asked for a cache";
}

}  // namespace
}  // namespace parkbench::workload
