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

}  // namespace
}  // namespace parkbench::run
