#pragma once

#include "parkbench/workload/app_wait.hpp"
#include "parkbench/workload/resources.hpp"

/// The sleep request as straight-line code, for thread_pool and virtual_threads.
namespace parkbench::workload::sleep {

inline std::int64_t run_blocking(Resources&, measure::Request& request, io::Waiter& waiter, Ns length) {
  app_wait(waiter, length, request.trace);
  return 0;
}

}  // namespace parkbench::workload::sleep
