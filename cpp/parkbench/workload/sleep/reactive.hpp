#pragma once

#include "parkbench/workload/app_wait_mono.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::workload::sleep {

inline reactive::Mono<std::int64_t> run_reactive(Resources&, measure::Request& request, reactive::EventLoop& loop,
                                                 Ns length) {
  if (length <= 0) return reactive::Mono<std::int64_t>::just(0);
  return app_wait_mono<std::int64_t>(loop, length, request.trace, 0);
}

}  // namespace parkbench::workload::sleep
