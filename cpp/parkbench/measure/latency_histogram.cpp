#include "parkbench/measure/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "parkbench/base/error.hpp"

namespace parkbench::measure {

// Values below 2^(kSubBits+1) have a bucket each; above, the top kSubBits+1 bits name the bucket.
std::size_t LatencyHistogram::index_of(Ns value) {
  const auto v = static_cast<std::uint64_t>(value);
  const int shift = std::max(0, static_cast<int>(std::bit_width(v)) - (kSubBits + 1));
  return (static_cast<std::size_t>(shift) << kSubBits) + static_cast<std::size_t>(v >> shift);
}

Ns LatencyHistogram::lowest_of(std::size_t index) {
  if (index < (std::size_t{2} << kSubBits)) return static_cast<Ns>(index);
  const std::size_t shift = (index >> kSubBits) - 1;
  return static_cast<Ns>((index - (shift << kSubBits)) << shift);
}

LatencyHistogram::LatencyHistogram(Ns highest) : highest_(highest), counts_(index_of(highest) + 1) {}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  if (highest_ != other.highest_) throw Failure(ErrorCode::internal, "histograms of different range cannot be merged");
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  overflow_ += other.overflow_;
  clock_errors_ += other.clock_errors_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
  min_ = std::min(min_, other.min_);
}

void LatencyHistogram::clear() { *this = LatencyHistogram(highest_); }

Ns LatencyHistogram::quantile(double q) const {
  if (count_ == 0) return 0;
  const double exact = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_));
  const std::uint64_t rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(exact), 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) {
      const Ns low = lowest_of(i);
      return std::clamp(low + (lowest_of(i + 1) - low) / 2, min_, max_);
    }
  }
  return max_;
}

std::vector<std::pair<Ns, std::uint64_t>> LatencyHistogram::buckets() const {
  std::vector<std::pair<Ns, std::uint64_t>> all;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != 0) all.emplace_back(lowest_of(i), counts_[i]);
  }
  return all;
}

}  // namespace parkbench::measure
