#pragma once

#include <cstddef>
#include <vector>

#include "parkbench/base/random.hpp"
#include "parkbench/measure/phase.hpp"

namespace parkbench::measure {

/// One request's whole phase vector.
struct PhaseSample {
  Ns response = 0;
  std::array<Ns, kPhases> phases{};
};

/// Whole phase vectors kept so that a p99 can be explained: the slowest ones, and a fair sample of all.
class PhaseSamples {
 public:
  static constexpr std::size_t kKept = 1'000;

  explicit PhaseSamples(std::uint64_t seed) : random_(seed) {}

  void add(Ns response, const PhaseTrace& trace);

  /// The slowest kKept, in no order.
  const std::vector<PhaseSample>& slowest() const { return slowest_; }
  /// A uniform sample of all (reservoir sampling, algorithm R: Vitter 1985).
  const std::vector<PhaseSample>& sample() const { return sample_; }

 private:
  Random random_;
  std::uint64_t seen_ = 0;
  std::vector<PhaseSample> slowest_;  // a min-heap by response
  std::vector<PhaseSample> sample_;
};

}  // namespace parkbench::measure
