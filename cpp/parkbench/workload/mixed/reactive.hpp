#pragma once

#include "parkbench/workload/mixed/share.hpp"
#include "parkbench/workload/sleep/reactive.hpp"

namespace parkbench::workload::mixed {

inline reactive::Mono<std::int64_t> run_reactive(Resources& resources, measure::Request& request,
                                                 reactive::EventLoop& loop) {
  return sleep::run_reactive(resources, request, loop, length_of(resources.options, request.number));
}

}  // namespace parkbench::workload::mixed
