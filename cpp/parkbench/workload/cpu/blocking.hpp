#pragma once

#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/workload/resources.hpp"

/// Computing, and memory touched besides. There is nothing to wait for, so no model may win.
namespace parkbench::workload::cpu {

/// @param amount of computing, in time on this CPU when it is idle; 0: what options.cpu says.
inline std::int64_t run(Resources& resources, Ns amount) {
  const auto memory = resources.plants.memory(resources.options.alloc_kib);
  resources.burner.burn(amount > 0 ? amount : resources.options.cpu);
  return 0;
}

inline std::int64_t run_blocking(Resources& resources, measure::Request&, io::Waiter&, Ns amount) {
  return run(resources, amount);
}

}  // namespace parkbench::workload::cpu
