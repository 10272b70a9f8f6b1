#pragma once

#include "parkbench/base/deadline.hpp"
#include "parkbench/measure/phase.hpp"
#include "parkbench/postgres/lease.hpp"
#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/mono.hpp"

namespace parkbench::postgres {

/// acquire() for the reactive model: the same line, the same phases, the same errors, and nobody waits. To be
/// subscribed to and cancelled on the loop's thread; its signals come there too. Cancelling leaves the line, or gives
/// back what was granted meanwhile. pool, loop and trace outlive the subscription.
reactive::Mono<Lease> acquire_mono(ConnectionPool& pool, reactive::EventLoop& loop, Deadline deadline,
                                   measure::PhaseTrace& trace);

}  // namespace parkbench::postgres
