#pragma once

#include <cstdint>

#include "parkbench/reactive/mono.hpp"

namespace parkbench::workload::noop {

inline reactive::Mono<std::int64_t> run_reactive() { return reactive::Mono<std::int64_t>::just(0); }

}  // namespace parkbench::workload::noop
