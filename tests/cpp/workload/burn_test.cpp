#include "parkbench/workload/burn.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace parkbench::workload {
namespace {

/// Moves on by the same step each time it is read.
class TickingClock final : public Clock {
 public:
  explicit TickingClock(Ns step) : step_(step) {}
  Ns now() const override { return at_ += step_; }

 private:
  Ns step_;
  mutable Ns at_ = 0;
};

TEST(Burner, does_work_in_proportion_to_the_amount) {
  const TickingClock clock(kMillisecond);  // each trial of 200,000 iterations seems to take 1 ms
  EXPECT_EQ(Burner(0, clock).iterations(), 0U);
  EXPECT_EQ(Burner(kMillisecond, clock).iterations(), 200'000U);
  EXPECT_EQ(Burner(500 * kMicrosecond, clock).iterations(), 100'000U);
}

TEST(Burner, uses_cpu_time) {
  const Burner burner(5 * kMillisecond, SteadyClock::instance());
  const Ns before = thread_cpu_time();
  burner.burn();
  EXPECT_GT(thread_cpu_time() - before, kMillisecond);
}

TEST(TouchedMemory, is_as_large_as_asked_and_each_page_is_written) {
  const auto memory = touched_memory(64);
  EXPECT_EQ(memory.size(), 65'536U);
  EXPECT_EQ(std::accumulate(memory.begin(), memory.end(), 0), 16);
  EXPECT_TRUE(touched_memory(0).empty());
}

}  // namespace
}  // namespace parkbench::workload
