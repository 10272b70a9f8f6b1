#pragma once

#include <algorithm>
#include <cstdint>

#include "parkbench/base/random.hpp"

namespace parkbench::load {

/// Which requests ask the server for its phases: 1 in `one_in`, chosen by a hash of the number, because every k-th
/// would fall into step with whatever else comes round every k requests.
class TimingSample {
 public:
  static constexpr double kPerSecond = 2'000;  // the answer's extra header and its parsing cost about a microsecond

  explicit TimingSample(std::uint64_t seed) : seed_(seed) {}

  /// Chooses one_in so that about kPerSecond are asked for.
  void expect(double requests_per_second) {
    one_in_ = static_cast<std::uint32_t>(std::clamp(requests_per_second / kPerSecond, 1.0, 1e6));
  }
  bool chosen(std::uint64_t number) const { return one_in_ == 1 || Random(seed_ ^ number).below(one_in_) == 0; }
  std::uint32_t one_in() const { return one_in_; }

 private:
  std::uint64_t seed_;
  std::uint32_t one_in_ = 1;
};

}  // namespace parkbench::load
