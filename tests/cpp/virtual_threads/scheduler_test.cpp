#include "parkbench/virtual_threads/scheduler.hpp"

#include <latch>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "parkbench/base/error.hpp"
#include "virtual_threads/on_carriers.hpp"

namespace parkbench::virtual_threads {
namespace {

class Schedule : public OnCarriers {};

void count_up(void* argument) { static_cast<std::atomic<int>*>(argument)->fetch_add(1, std::memory_order_relaxed); }

TEST_P(Schedule, EveryThreadOfABatchRunsOnce) {
  constexpr std::size_t kThreads = 1000;
  std::vector<std::atomic<int>> ran(kThreads);
  std::vector<void*> arguments;
  for (auto& counter : ran) arguments.push_back(&counter);
  scheduler().start_all(&count_up, arguments);
  scheduler().stop();
  for (const auto& counter : ran) EXPECT_EQ(counter, 1);
}

TEST_P(Schedule, AHundredThousandStartAndFinishOnFewStacks) {
  constexpr std::size_t kBatch = 1000;
  std::atomic<int> ran{0};
  const std::vector<void*> arguments(kBatch, &ran);
  for (int batch = 0; batch < 100; ++batch) scheduler().start_all(&count_up, arguments);
  scheduler().stop();
  EXPECT_EQ(ran, 100'000);
  // None of them parks, so each carrier needs one stack at a time.
  EXPECT_LE(scheduler().stacks_high_water(), static_cast<std::size_t>(GetParam()));
}

TEST_P(Schedule, ABatchSmallerThanTheCarriersAndAnEmptyOne) {
  std::atomic<int> ran{0};
  const std::vector<void*> arguments(3, &ran);
  scheduler().start_all(&count_up, arguments);
  scheduler().start_all(&count_up, {});
  scheduler().stop();
  EXPECT_EQ(ran, 3);
}

TEST_P(Schedule, ThreadsStartThreads) {
  std::atomic<int> ran{0};
  std::function<void(int)> grow = [&](int depth) {
    ++ran;
    if (depth == 0) return;
    for (int i = 0; i < 3; ++i) scheduler().start([&grow, depth] { grow(depth - 1); });
  };
  scheduler().start([&] { grow(6); });
  scheduler().stop();
  EXPECT_EQ(ran, (2187 - 1) / 2);
}

TEST_P(Schedule, StopSeesEverythingThatTheThreadsWrote) {
  std::vector<int> written(500);  // plain memory: TSan checks that the end of a thread is ordered before stop()
  for (auto& slot : written) {
    scheduler().start([&slot] {
      yield();
      slot = 1;
    });
  }
  scheduler().stop();
  EXPECT_EQ(std::accumulate(written.begin(), written.end(), 0), 500);
}

TEST_P(Schedule, AnExceptionThatLeavesAThreadIsCountedAndItsTextKept) {
  expected_uncaught_ = 2;
  std::atomic<bool> ran{false};
  scheduler().start([] { throw std::runtime_error("the price list is empty"); });
  while (scheduler().uncaught_exceptions() < 1) std::this_thread::yield();
  EXPECT_EQ(scheduler().last_uncaught(), "the price list is empty");
  scheduler().start([] { throw 42; });  // NOLINT(hicpp-exception-baseclass): that is the point
  scheduler().start([&] { ran = true; });
  scheduler().stop();
  EXPECT_EQ(scheduler().uncaught_exceptions(), 2U);
  EXPECT_TRUE(ran);
}

TEST_P(Schedule, CellsNameTheCarriersThreads) {
  std::set<int> ids;
  for (const auto& cell : scheduler().cells()) {
    EXPECT_GT(cell.thread_id, 0);
    ids.insert(cell.thread_id);
  }
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(GetParam()));
  EXPECT_FALSE(ids.contains(current_thread_id()));
}

TEST_P(Schedule, CellsTellOnCpuWhileAThreadRuns) {
  scheduler().start([this] {
    const Carrier* here = this_carrier();
    EXPECT_EQ(scheduler().cells()[here->index()].state, io::ThreadState::on_cpu);
  });
  scheduler().stop();
  for (const auto& cell : scheduler().cells()) EXPECT_EQ(cell.state, io::ThreadState::idle);
}

INSTANTIATE_TEST_SUITE_P(Carriers, Schedule, testing::Values(1, 2, 4, 16));

TEST(Scheduler, TheUncaughtHookIsToldTheText) {
  std::string told;
  SchedulerOptions options;
  options.uncaught = [&](const std::string& text) {
    told = text;
    throw std::logic_error("a hook that fails itself");
  };
  Scheduler scheduler(std::move(options));
  scheduler.start([] { throw std::runtime_error("boom"); });
  scheduler.stop();
  EXPECT_EQ(told, "boom");
}

TEST(Scheduler, RefusesToBeMadeWithoutCarriers) {
  SchedulerOptions options;
  options.carriers = 0;
  EXPECT_THROW(Scheduler{options}, Failure);
}

TEST(Scheduler, TwoSchedulersWakeEachOthersThreads) {
  Scheduler one{SchedulerOptions{.carriers = 2, .name = "one"}};
  Scheduler two{SchedulerOptions{.carriers = 2, .name = "two"}};
  int turns = 0;
  one.start([&] {
    VirtualThread* self = current();
    for (int i = 0; i < 1000; ++i) {
      std::atomic<bool> done{false};
      two.start([&, self] {
        EXPECT_EQ(&current()->scheduler(), &two);
        ++turns;
        done = true;
        unpark(*self);
      });
      while (!done) park();
      EXPECT_EQ(&current()->scheduler(), &one);
    }
  });
  one.stop();
  two.stop();
  EXPECT_EQ(turns, 1000);
}

TEST(Scheduler, StackBytesCanBeUsedUpToNinetyPercent) {
  SchedulerOptions options;
  options.stack_bytes = 128 * 1024;
  Scheduler scheduler(std::move(options));
  std::size_t sum = 0;
  scheduler.start([&] {
    volatile char deep[100 * 1024];
    for (auto& byte : deep) byte = 1;
    yield();
    for (auto& byte : deep) sum += static_cast<std::size_t>(byte);
  });
  scheduler.stop();
  EXPECT_EQ(sum, 100U * 1024U);
}

}  // namespace
}  // namespace parkbench::virtual_threads
