// What a virtual thread costs: memory is asserted, time is only printed.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>
#include <vector>

#include "parkbench/virtual_threads/sanitizers.hpp"
#include "virtual_threads/on_carriers.hpp"

namespace parkbench::virtual_threads {
namespace {

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages >> pages;
  return pages * 4096;
}

class Cost : public WithScheduler {};

TEST_F(Cost, AHundredThousandParkedThreadsStayUnderAGigabyte) {
  if (PARKBENCH_ASAN || PARKBENCH_TSAN) GTEST_SKIP() << "a sanitizer's shadow memory is not ours, TSan ends at 8,128";
  constexpr std::size_t kThreads = 100'000;
  make(1);
  if (scheduler().guard_mode() != "madv_guard") GTEST_SKIP() << "this kernel's guards end near 32,700 stacks";
  const std::size_t before = resident_bytes();
  std::vector<VirtualThread*> parked(kThreads);
  std::atomic<std::size_t> count{0};
  std::atomic<bool> may_go{false};
  for (auto& slot : parked) {
    scheduler().start([&] {
      slot = current();
      ++count;
      while (!may_go) park();
    });
  }
  while (count != kThreads) std::this_thread::yield();
  const std::size_t each = (resident_bytes() - before) / kThreads;
  std::printf("resident_bytes_per_parked_thread=%zu\n", each);
  EXPECT_LE(each, 10'000U);
  EXPECT_EQ(scheduler().live(), static_cast<std::int64_t>(kThreads));
  may_go = true;
  for (VirtualThread* thread : parked) unpark(*thread);
  scheduler().stop();
}

TEST_F(Cost, StartRunAndFinishOfAnEmptyThread) {
  make(1);
  constexpr std::size_t kBatch = 1000;
  constexpr int kBatches = PARKBENCH_ASAN || PARKBENCH_TSAN ? 10 : 500;
  char nothing = 0;
  const std::vector<void*> arguments(kBatch, &nothing);
  Ns best = Deadline::never().when();
  for (int i = 0; i < kBatches; ++i) {
    const Ns start = scheduler().clock().now();
    scheduler().start_all([](void*) {}, arguments);
    while (scheduler().live() != 0) {
    }
    best = std::min(best, scheduler().clock().now() - start);
  }
  std::printf("ns_per_virtual_thread=%.0f\n", static_cast<double>(best) / static_cast<double>(kBatch));
}

}  // namespace
}  // namespace parkbench::virtual_threads
