#pragma once

#include "parkbench/measure/request.hpp"
#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/mono.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::workload {

/// One request as a Mono of its final price; to be subscribed to on the loop's thread, with the phase cpu open.
reactive::Mono<std::int64_t> run_reactive(Resources& resources, measure::Request& request, reactive::EventLoop& loop);

}  // namespace parkbench::workload
