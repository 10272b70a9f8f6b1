#include "parkbench/measure/latency_histogram.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "parkbench/base/error.hpp"
#include "parkbench/base/random.hpp"

namespace parkbench::measure {
namespace {

TEST(LatencyHistogram, is_exact_to_a_tenth_of_a_percent_everywhere) {
  for (Ns value = 1; value < (Ns{1} << 41); value += value / 7 + 1) {
    LatencyHistogram h;
    h.record(value);
    h.record(Ns{1} << 42);  // so that neither min nor max is the value
    h.record(0);
    const auto seen = static_cast<double>(h.quantile(0.5));
    EXPECT_LE(std::abs(seen - static_cast<double>(value)) / static_cast<double>(value), 0.001) << value;
  }
}

TEST(LatencyHistogram, small_values_have_a_bucket_each) {
  LatencyHistogram h;
  for (Ns v = 0; v < 2'048; ++v) h.record(v);
  const auto buckets = h.buckets();
  ASSERT_EQ(buckets.size(), 2'048U);
  for (Ns v = 0; v < 2'048; ++v) EXPECT_EQ(buckets[static_cast<std::size_t>(v)], std::make_pair(v, std::uint64_t{1}));
}

TEST(LatencyHistogram, values_out_of_range_are_counted_and_the_run_goes_on) {
  // O-06: range to 60 s; 1,000 x 10 ms, one 67.6 s, one 0, one negative.
  LatencyHistogram h(60 * kSecond);
  for (int i = 0; i < 1'000; ++i) h.record(10 * kMillisecond);
  h.record(67'600 * kMillisecond);
  h.record(0);
  h.record(-5);
  EXPECT_EQ(h.count(), 1'002U);
  EXPECT_EQ(h.overflow(), 1U);
  EXPECT_EQ(h.clock_errors(), 1U);
  EXPECT_EQ(h.max(), 67'600 * kMillisecond);
  EXPECT_EQ(h.quantile(1.0), 67'600 * kMillisecond);
  EXPECT_EQ(h.min(), 0);
}

TEST(LatencyHistogram, merging_is_the_same_as_recording_together) {
  // O-07: 1,000 x 10 ms and 10 x 2,000 ms, in either order.
  LatencyHistogram a;
  LatencyHistogram b;
  for (int i = 0; i < 1'000; ++i) a.record(10 * kMillisecond);
  for (int i = 0; i < 10; ++i) b.record(2'000 * kMillisecond);
  LatencyHistogram ab = a;
  ab.merge(b);
  LatencyHistogram ba = b;
  ba.merge(a);
  for (const auto* merged : {&ab, &ba}) {
    EXPECT_EQ(merged->count(), 1'010U);
    EXPECT_NEAR(static_cast<double>(merged->quantile(0.99)), 10e6, 10e3);
    EXPECT_NEAR(static_cast<double>(merged->quantile(0.999)), 2e9, 2e6);
    EXPECT_NEAR(merged->mean(), 29.7e6, 0.01e6);
  }
  EXPECT_EQ(ab.buckets(), ba.buckets());
  EXPECT_THROW(ab.merge(LatencyHistogram(kSecond)), Failure);
}

TEST(LatencyHistogram, quantiles_follow_the_rank_in_random_data) {
  Random random(5);
  std::vector<Ns> values;
  LatencyHistogram h;
  for (int i = 0; i < 10'000; ++i) {
    values.push_back(random.below(1'000'000'000));
    h.record(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(std::ceil(q * 10'000)) - 1]);
    EXPECT_NEAR(static_cast<double>(h.quantile(q)), exact, exact * 0.001) << q;
  }
}

TEST(LatencyHistogram, an_empty_one_says_nothing) {
  const LatencyHistogram h;
  EXPECT_EQ(h.count(), 0U);
  EXPECT_EQ(h.quantile(0.5), 0);
  EXPECT_EQ(h.max(), 0);
  EXPECT_EQ(h.mean(), 0.0);
}

}  // namespace
}  // namespace parkbench::measure
