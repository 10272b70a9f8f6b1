#pragma once

#include "parkbench/service/call.hpp"
#include "parkbench/service/route.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::service {

/// Runs the handler of a route to its end on the calling thread, OS or virtual; never throws: what goes wrong becomes
/// 404, 500, 502, 503 or 504 and the outcome of call.account. Phases as workload::run_blocking; answer_ready is
/// stamped.
Reply handle_blocking(workload::Resources& resources, const Route& route, Call call, io::Waiter& waiter);

}  // namespace parkbench::service
