#pragma once

#include "parkbench/io/blocking_waiter.hpp"
#include "parkbench/postgres/await_connection.hpp"
#include "parkbench/postgres/await_query.hpp"

namespace parkbench::postgres::testing {

/// What an OS thread needs to wait: a waiter, a trace with the phase cpu open, and a generous deadline.
struct BlockingCaller {
  const Clock& clock = SteadyClock::instance();
  io::ThreadStateCell cell;
  io::WaitGauge gauge;
  io::BlockingWaiter waiter{clock, cell, gauge};
  measure::PhaseTrace trace;

  BlockingCaller() { trace.begin(measure::Phase::cpu, clock.now()); }
  Deadline within(Ns time) const { return Deadline::at(clock.now() + time); }
  Deadline soon() const { return within(20 * kSecond); }

  Rows query(Connection& connection, const Statement& statement, const Params& params = {}) {
    return await_query(connection, statement, params, waiter, soon(), trace);
  }
  void connect(Connection& connection) { ensure_connected(connection, {}, waiter, soon()); }
};

/// The code of the Failure that `body` throws; none when it throws none.
template <class Body>
Error failure_of(Body&& body) {
  try {
    body();
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

}  // namespace parkbench::postgres::testing
