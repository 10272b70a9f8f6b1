#pragma once

#include <cstdint>

#include "parkbench/load/load_plan.hpp"

namespace parkbench::load {

/// When request k (from 0) of an open load at a constant rate is due, counted from the start.
Ns constant_due(double rate, std::uint64_t k);

/// The time between requests k and k + 1 of a Poisson process: exponentially distributed, from a hash of seed and k, so
/// that each is known without the ones before it.
Ns poisson_gap(double rate, std::uint64_t seed, std::uint64_t k);

/// The due times of an open load one after the other. What is late stays due when it was due.
class OpenArrivals {
 public:
  /// @pre arrivals.open() and a positive rate.
  OpenArrivals(const Arrivals& arrivals, std::uint64_t seed, Ns start);

  /// When the next request is due.
  Ns due() const { return due_; }
  void advance();

 private:
  Arrivals arrivals_;
  std::uint64_t seed_;
  Ns start_;
  std::uint64_t number_ = 0;
  Ns due_;
};

}  // namespace parkbench::load
