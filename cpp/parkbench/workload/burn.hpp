#pragma once

#include <cstdint>
#include <vector>

#include "parkbench/base/clock.hpp"

namespace parkbench::workload {

/// Computes for a fixed amount of work, not until a time has passed: a preempted request must not get away with less.
class Burner {
 public:
  /// Calibrates on this CPU (about 5 ms).
  Burner(Ns amount, const Clock& clock);
  /// The amount given at construction.
  void burn() const { burn(amount_); }
  /// Any amount.
  void burn(Ns amount) const;
  std::uint64_t iterations(Ns amount) const;
  std::uint64_t iterations() const { return iterations(amount_); }

 private:
  Ns amount_;
  double iterations_per_ns_;
};

/// kib of memory, each page written once.
std::vector<char> touched_memory(std::uint32_t kib);

}  // namespace parkbench::workload
