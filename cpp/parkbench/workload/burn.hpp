#pragma once

#include <cstdint>
#include <vector>

#include "parkbench/base/clock.hpp"

namespace parkbench::workload {

/// Computes for a fixed amount of work, not until a time has passed: a preempted request must not get away with less.
class Burner {
 public:
  /// Calibrates on this CPU (about 5 ms) when amount is not 0.
  Burner(Ns amount, const Clock& clock);
  void burn() const;
  std::uint64_t iterations() const { return iterations_; }

 private:
  std::uint64_t iterations_ = 0;
};

/// kib of memory, each page written once.
std::vector<char> touched_memory(std::uint32_t kib);

}  // namespace parkbench::workload
