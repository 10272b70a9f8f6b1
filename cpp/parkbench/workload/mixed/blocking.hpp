#pragma once

#include "parkbench/workload/mixed/share.hpp"
#include "parkbench/workload/sleep/blocking.hpp"

namespace parkbench::workload::mixed {

inline std::int64_t run_blocking(Resources& resources, measure::Request& request, io::Waiter& waiter) {
  return sleep::run_blocking(resources, request, waiter, length_of(resources.options, request.number));
}

}  // namespace parkbench::workload::mixed
