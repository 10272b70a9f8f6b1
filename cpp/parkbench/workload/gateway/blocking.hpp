#pragma once

#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/workload/gateway/passed.hpp"
#include "parkbench/workload/resources.hpp"

/// The gateway of the third article as straight-line code, for thread_pool and virtual_threads: three filters, then
/// the downstream.
namespace parkbench::workload::gateway {

/// On entry the phase `cpu` is open in the request's trace and on return too, also when it throws.
/// @return what a filter answers (401, 403, 429), or what came from downstream.
/// @throws Failure: bulkhead_full, circuit_open (to be told as 503), downstream_timeout (504), downstream_failed (502),
///     timeout (the request's own time was up).
Passed run_blocking(Resources& resources, measure::Request& request, io::Waiter& waiter, const Inbound& inbound);

}  // namespace parkbench::workload::gateway
