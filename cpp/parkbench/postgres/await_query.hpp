#pragma once

#include <span>

#include "parkbench/base/deadline.hpp"
#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/phase.hpp"
#include "parkbench/postgres/query.hpp"

namespace parkbench::postgres {

/// Executes a statement; the waiter waits: an OS thread blocks, a virtual thread parks. On entry the phase `cpu` is
/// open in trace and on return too, also when it throws: `database` runs from the send until the answer was there (by
/// the kernel's receive time on TCP, else when the waiter was told of it), `wakeup` from there until the code runs
/// again.
/// @throws Failure: db_error (connection usable), db_connection_lost, timeout (deadline passed; where the statement
///     was already sent the connection is broken, since its answer is unread).
Rows await_query(Connection& connection, const Statement& statement, const Params& params, io::Waiter& waiter,
                 Deadline deadline, measure::PhaseTrace& trace);

/// What a request is told whose statement was not answered in time.
Error query_timeout();

/// The same for set-up, where nobody counts phases.
Rows await_statement(Connection& connection, const Statement& statement, const Params& params, io::Waiter& waiter,
                     Deadline deadline);

/// Connects and prepares where the connection is not up, or hung up while it lay idle; see Reconnect.
/// @throws Failure: db_connect, db_error (a statement cannot be prepared); the connection is not up then.
void ensure_connected(Connection& connection, std::span<const Statement> statements, io::Waiter& waiter,
                      Deadline deadline);

}  // namespace parkbench::postgres
