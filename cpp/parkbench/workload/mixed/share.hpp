#pragma once

#include "parkbench/base/random.hpp"
#include "parkbench/workload/options.hpp"

/// Most requests sleep `fast`, a share of them `slow`.
namespace parkbench::workload::mixed {

/// By the number of the request, so that every model meets the same slow ones.
inline Ns length_of(const Options& options, std::uint64_t number) {
  constexpr std::uint32_t kWhole = 1'000'000;
  const bool slow = Random(number).below(kWhole) < options.slow_share * kWhole;
  return slow ? options.slow : options.fast;
}

}  // namespace parkbench::workload::mixed
