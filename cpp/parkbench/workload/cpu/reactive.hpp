#pragma once

#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/mono.hpp"
#include "parkbench/workload/cpu/blocking.hpp"

namespace parkbench::workload::cpu {

/// On the loop: computing stops everybody else on it, as it does on a carrier.
inline reactive::Mono<std::int64_t> run_reactive(Resources& resources, measure::Request&, reactive::EventLoop&,
                                                 Ns amount) {
  using Answer = reactive::Mono<std::int64_t>;
  return Answer::defer([&resources, amount] { return Answer::just(run(resources, amount)); });
}

}  // namespace parkbench::workload::cpu
