#pragma once

#include "parkbench/base/deadline.hpp"
#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/phase.hpp"
#include "parkbench/postgres/lease.hpp"

namespace parkbench::postgres {

/// A connected connection from the pool; the waiter waits in line. On entry the phase `cpu` is open in trace and on
/// return too, also when it throws: `connection` runs from the asking until the connection was handed over, `wakeup`
/// from there until the code runs again. Opening the connection, where needed, counts as `connection`.
/// @throws Failure: pool_timeout (with the pool's figures), cancelled (pool closed), db_connect, db_error.
Lease acquire(ConnectionPool& pool, io::Waiter& waiter, Deadline deadline, measure::PhaseTrace& trace);

/// Opens every connection of the pool, so that no request pays for it. For set-up.
/// @throws Failure as acquire.
void open_all(ConnectionPool& pool, io::Waiter& waiter, Deadline deadline);

/// What a request is told that got no connection in time.
Error pool_timeout(const ConnectionPool& pool);

}  // namespace parkbench::postgres
