#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "parkbench/base/clock.hpp"

namespace parkbench::measure {

/// Counts of times in log-linear buckets: 1,024 per doubling, so a value is known to 0.1 % (0.05 % from the middle
/// of its bucket) and to 1 ns below 2 microseconds. 2 ns to record, mergeable, constant size.
class LatencyHistogram {
 public:
  static constexpr Ns kDefaultHighest = Ns{1} << 42;  // 73 minutes

  explicit LatencyHistogram(Ns highest = kDefaultHighest);

  /// A negative value is refused and counted as a clock error; one above highest is counted as overflow and stays
  /// in count, mean and max.
  void record(Ns value) {
    if (value < 0) {
      ++clock_errors_;
      return;
    }
    ++count_;
    sum_ += value;
    if (value > max_) max_ = value;
    if (value < min_) min_ = value;
    if (value > highest_) {
      ++overflow_;
    } else {
      ++counts_[index_of(value)];
    }
  }

  /// Adds the other's counts; both have the same highest.
  /// @throws Failure(internal) when they differ.
  void merge(const LatencyHistogram& other);
  void clear();

  std::uint64_t count() const { return count_; }
  std::uint64_t overflow() const { return overflow_; }
  std::uint64_t clock_errors() const { return clock_errors_; }
  Ns max() const { return count_ == 0 ? 0 : max_; }
  Ns min() const { return count_ == 0 ? 0 : min_; }
  Ns sum() const { return sum_; }
  double mean() const { return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_); }

  /// The value below or at which the share q (0..1) of all values lies: the middle of the bucket that holds the
  /// value of rank ceil(q * count); the exact max beyond the range. 0 when empty.
  Ns quantile(double q) const;

  /// Non-empty buckets as (lowest value, count), ascending.
  std::vector<std::pair<Ns, std::uint64_t>> buckets() const;

 private:
  static constexpr int kSubBits = 10;
  static std::size_t index_of(Ns value);
  static Ns lowest_of(std::size_t index);

  Ns highest_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t overflow_ = 0;
  std::uint64_t clock_errors_ = 0;
  Ns sum_ = 0;
  Ns max_ = 0;
  Ns min_ = kDefaultHighest;
};

}  // namespace parkbench::measure
