#include "parkbench/measure/phase_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace parkbench::measure {
namespace {

TEST(PhaseSamples, keeps_exactly_the_slowest) {
  PhaseSamples samples(1);
  Random random(3);
  std::vector<Ns> all;
  for (int i = 0; i < 20'000; ++i) {
    const Ns response = random.below(1'000'000'000);
    all.push_back(response);
    samples.add(response, {});
  }
  std::sort(all.rbegin(), all.rend());
  all.resize(PhaseSamples::kKept);
  std::vector<Ns> kept;
  for (const auto& s : samples.slowest()) kept.push_back(s.response);
  std::sort(kept.rbegin(), kept.rend());
  EXPECT_EQ(kept, all);
}

TEST(PhaseSamples, samples_all_alike) {
  PhaseSamples samples(1);
  for (Ns i = 0; i < 100'000; ++i) samples.add(i, {});
  ASSERT_EQ(samples.sample().size(), PhaseSamples::kKept);
  double mean = 0;
  for (const auto& s : samples.sample()) mean += static_cast<double>(s.response) / PhaseSamples::kKept;
  EXPECT_NEAR(mean, 50'000, 5'000);  // 5 standard errors
}

TEST(PhaseSamples, carries_the_whole_vector) {
  PhaseSamples samples(1);
  PhaseTrace trace;
  trace.add(Phase::database, 10, 40);
  samples.add(50, trace);
  EXPECT_EQ(samples.slowest().at(0).phases[static_cast<std::size_t>(Phase::database)], 30);
}

}  // namespace
}  // namespace parkbench::measure
