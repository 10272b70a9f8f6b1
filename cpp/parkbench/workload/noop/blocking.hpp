#pragma once

#include <cstdint>

/// The empty request: what is left is the cost of the model itself.
namespace parkbench::workload::noop {

inline std::int64_t run_blocking() { return 0; }

}  // namespace parkbench::workload::noop
