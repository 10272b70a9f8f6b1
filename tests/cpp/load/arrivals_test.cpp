#include "parkbench/load/arrivals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace parkbench::load {
namespace {

TEST(Arrivals, a_constant_rate_has_no_drift) {
  EXPECT_EQ(constant_due(1'000, 0), 0);
  EXPECT_EQ(constant_due(1'000, 1), kMillisecond);
  EXPECT_EQ(constant_due(3, 3), kSecond);
  EXPECT_EQ(constant_due(3, 3'000'000), 1'000'000 * kSecond);
  EXPECT_EQ(constant_due(0.5, 1), 2 * kSecond);
}

TEST(Arrivals, a_poisson_gap_is_a_function_of_seed_and_number) {
  for (const std::uint64_t k : {0U, 1U, 77U, 1'000'000U}) {
    EXPECT_EQ(poisson_gap(1'000, 5, k), poisson_gap(1'000, 5, k));
    EXPECT_NE(poisson_gap(1'000, 5, k), poisson_gap(1'000, 6, k));
    EXPECT_NE(poisson_gap(1'000, 5, k), poisson_gap(1'000, 5, k + 1));
  }
}

TEST(Arrivals, seeds_side_by_side_do_not_give_the_same_gaps_shifted) {
  for (std::uint64_t k = 0; k < 1'000; ++k) EXPECT_NE(poisson_gap(1'000, 5, k + 1), poisson_gap(1'000, 6, k));
}

TEST(Arrivals, poisson_gaps_are_exponentially_distributed) {
  constexpr int kCount = 100'000;
  std::vector<double> gaps;  // in units of the mean
  for (std::uint64_t k = 0; k < kCount; ++k) {
    gaps.push_back(static_cast<double>(poisson_gap(2'000, 11, k)) / (0.5 * static_cast<double>(kMillisecond)));
  }
  std::sort(gaps.begin(), gaps.end());
  double worst = 0;  // Kolmogorov-Smirnov: 1.63 / sqrt(n) is exceeded once in a hundred
  for (int i = 0; i < kCount; ++i) {
    const double expected = 1 - std::exp(-gaps[static_cast<std::size_t>(i)]);
    worst = std::max(worst, std::abs(expected - (i + 0.5) / kCount));
  }
  EXPECT_LT(worst, 1.63 / std::sqrt(kCount));
}

TEST(Arrivals, open_arrivals_walk_through_the_due_times) {
  OpenArrivals constant({.kind = Arrivals::Kind::constant, .rate = 1'000}, 1, kSecond);
  EXPECT_EQ(constant.due(), kSecond);
  for (int i = 0; i < 5; ++i) constant.advance();
  EXPECT_EQ(constant.due(), kSecond + 5 * kMillisecond);

  OpenArrivals poisson({.kind = Arrivals::Kind::poisson, .rate = 1'000}, 9, kSecond);
  Ns due = kSecond;
  for (std::uint64_t k = 0; k < 100; ++k) {
    EXPECT_EQ(poisson.due(), due);
    due += poisson_gap(1'000, 9, k);
    poisson.advance();
  }
}

}  // namespace
}  // namespace parkbench::load
