#include "parkbench/run/sampler.hpp"

#include <gtest/gtest.h>

namespace parkbench::run {
namespace {

TEST(Sampler, looks_often_and_takes_the_process_in_now_and_then) {
  std::atomic<std::uint64_t> looked{0};
  Sampler sampler(SteadyClock::instance(), [&] {
    Sample sample;
    sample.ok = looked.fetch_add(1);
    return sample;
  });
  while (looked.load() < 25) sched_yield();
  sampler.stop();
  const auto looks = sampler.looks();
  const auto full = sampler.full();
  ASSERT_GE(looks.size(), 25U);
  ASSERT_GE(full.size(), 2U);
  EXPECT_LT(full.size(), looks.size());
  for (std::size_t i = 0; i < looks.size(); ++i) EXPECT_EQ(looks[i].ok, i);
  for (std::size_t i = 1; i < full.size(); ++i) EXPECT_GE(full[i].at - full[i - 1].at, Sampler::kFull / 2);
  EXPECT_GT(full[0].process.threads, 0);
  EXPECT_EQ(looks[1].process.threads, 0) << "only full samples read /proc";
  EXPECT_GT(sampler.own_usage().cpu, 0);
}

TEST(Sampler, reads_the_run_queue_at_the_edges_and_carries_it_over_to_the_window) {
  std::atomic<Ns> delay{0};
  std::atomic<int> read{0};
  Sampler sampler(
      SteadyClock::instance(), [] { return Sample{}; },
      [&]() -> std::optional<Ns> {
        const Ns found = delay.load();  // before it is told: what the test sets then is for the next look
        ++read;
        return found;
      });
  const Ns begun = SteadyClock::instance().now();
  sampler.mark_edge();
  while (read.load() < 1) sched_yield();
  delay = 50 * kMillisecond;
  sampler.mark_edge();
  sampler.stop();
  const Ns longest = SteadyClock::instance().now() - begun;
  EXPECT_EQ(read.load(), 2) << "at the edges only";
  // What came about between the two reads, which lie less far apart than the whole test.
  ASSERT_TRUE(sampler.run_queue_delay(longest).has_value());
  EXPECT_GE(*sampler.run_queue_delay(longest), 50 * kMillisecond);
}

TEST(Sampler, without_two_edges_or_a_kernel_that_says_there_is_no_delay) {
  Sampler once(SteadyClock::instance(), [] { return Sample{}; }, [] { return std::optional<Ns>(1); });
  once.mark_edge();
  once.stop();
  EXPECT_FALSE(once.run_queue_delay(kSecond).has_value());
  Sampler silent(SteadyClock::instance(), [] { return Sample{}; }, []() -> std::optional<Ns> { return std::nullopt; });
  silent.mark_edge();
  silent.mark_edge();
  silent.stop();
  EXPECT_FALSE(silent.run_queue_delay(kSecond).has_value());
}

}  // namespace
}  // namespace parkbench::run
