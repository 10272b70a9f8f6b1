#pragma once

#include "parkbench/base/deadline.hpp"
#include "parkbench/measure/phase.hpp"
#include "parkbench/postgres/query.hpp"
#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/mono.hpp"

namespace parkbench::postgres {

/// await_query() for the reactive model: the same Query, the same phases, the same errors, and nobody waits. To be
/// subscribed to and cancelled on the loop's thread; its signals come there too. Cancelling breaks the connection,
/// since its answer stays unread. connection, statement, loop and trace outlive the subscription.
reactive::Mono<Rows> query_mono(Connection& connection, const Statement& statement, const Params& params,
                                reactive::EventLoop& loop, Deadline deadline, measure::PhaseTrace& trace);
reactive::Mono<Rows> query_mono(Connection& connection, const Statement&& statement, const Params& params,
                                reactive::EventLoop& loop, Deadline deadline, measure::PhaseTrace& trace) = delete;

}  // namespace parkbench::postgres
