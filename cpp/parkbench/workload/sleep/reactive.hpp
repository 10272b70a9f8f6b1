#pragma once

#include "parkbench/workload/app_wait_mono.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::workload::sleep {

inline reactive::Mono<std::int64_t> run_reactive(Resources& resources, measure::Request& request,
                                                 reactive::EventLoop& loop) {
  return app_wait_mono<std::int64_t>(loop, resources.options.sleep, request.trace, 0);
}

}  // namespace parkbench::workload::sleep
