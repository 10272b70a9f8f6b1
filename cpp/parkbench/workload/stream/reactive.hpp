#pragma once

#include "parkbench/measure/request.hpp"
#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/flux.hpp"
#include "parkbench/reactive/mono.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::workload::stream {

/// The same rows as they are asked for, options.row_every between two. Subscribed to, asked and cancelled on the
/// loop's thread. resources, loop and trace outlive the subscription.
reactive::Flux<std::string> rows_flux(Resources& resources, std::uint32_t rows, reactive::EventLoop& loop,
                                      measure::PhaseTrace* trace = nullptr);

/// All rows to nobody, for the direct transport: how many they were.
reactive::Mono<std::int64_t> run_reactive(Resources& resources, measure::Request& request, reactive::EventLoop& loop);

}  // namespace parkbench::workload::stream
