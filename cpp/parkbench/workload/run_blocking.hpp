#pragma once

#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::workload {

/// Runs one request to its end on the calling thread, OS or virtual; never throws: the outcome is in the request.
/// The phases queue (from accepted) and everything up to the answer are recorded; answer_ready is stamped.
void run_blocking(Resources& resources, measure::Request& request, io::Waiter& waiter);

}  // namespace parkbench::workload
