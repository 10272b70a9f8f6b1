#pragma once

#include "parkbench/measure/request.hpp"
#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/mono.hpp"
#include "parkbench/workload/gateway/passed.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::workload::gateway {

/// run_blocking() for the reactive model: the same filters, the same errors, and nobody waits. To be subscribed to and
/// cancelled on the loop's thread, once; cancelling closes the connections in use. inbound's texts live until then.
reactive::Mono<Passed> run_reactive(Resources& resources, measure::Request& request, reactive::EventLoop& loop,
                                    const Inbound& inbound);

}  // namespace parkbench::workload::gateway
