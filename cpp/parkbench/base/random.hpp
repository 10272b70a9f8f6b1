#pragma once

#include <cstdint>

namespace parkbench {

/// SplitMix64: a seeded sequence that is the same on every machine (std's distributions are not). Source: Steele,
/// Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// Evenly from 0 to bound - 1, by multiplication (Lemire 2019); the bias is below 2^-32 for 32-bit bounds.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * std::uint64_t{bound}) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace parkbench
