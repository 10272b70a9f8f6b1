#include "parkbench/measure/process_usage.hpp"

#include <gtest/gtest.h>

#include <latch>

#include "parkbench/base/thread.hpp"

namespace parkbench::measure {
namespace {

TEST(ProcessUsage, reads_thread_counts_past_odd_names) {
  EXPECT_EQ(parse_thread_count("12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 203 0 99"), 203);
  EXPECT_EQ(parse_thread_count(""), 0);
}

TEST(ProcessUsage, splits_the_machines_time) {
  const HostCpu cpu = parse_host_cpu("cpu  100 5 50 800 20 3 2 20 7 0\ncpu0 1 1 1 1\n");
  EXPECT_EQ(cpu.total, 1'000U);
  EXPECT_EQ(cpu.busy, 180U);
  EXPECT_EQ(cpu.steal, 20U);
}

TEST(ProcessUsage, counts_the_threads_there_are) {
  Thread("first", [] {}).join();  // a sanitizer's runtime may start a thread of its own with the first one
  const int before = read_process_usage().threads;
  std::latch done{1};
  {
    Thread a("a", [&] { done.wait(); });
    Thread b("b", [&] { done.wait(); });
    EXPECT_EQ(read_process_usage().threads, before + 2);
    done.count_down();
  }
  EXPECT_GT(read_process_usage().resident_bytes, 0);
}

TEST(ProcessUsage, sees_cpu_time_of_this_thread_grow) {
  const auto before = read_thread_usage();
  std::uint64_t sum = 0;
  while (read_thread_usage().cpu - before.cpu < 2 * kMillisecond) sum += 1;
  EXPECT_GT(sum, 0U);
  EXPECT_GE(read_process_usage().cpu, 2 * kMillisecond);
}

}  // namespace
}  // namespace parkbench::measure
