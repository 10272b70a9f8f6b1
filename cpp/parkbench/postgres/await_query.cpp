#include "parkbench/postgres/await_query.hpp"

#include "parkbench/postgres/reconnect.hpp"

namespace parkbench::postgres {
namespace {

/// Steps the query to its end. `waited` becomes true when it did not complete at once; told is then when its result was
/// there, by the kernel's word where that can be had.
io::Woken drive(Query& query, Ns sent, bool sampled, io::Waiter& waiter, Deadline deadline, bool& waited) {
  io::Woken woken;
  Ns told = 0;
  for (Step step = query.step(); step != Step::done; step = query.step()) {
    if (waited && woken.timed_out) {
      query.abandon();
      break;
    }
    const auto interest = step == Step::want_read ? io::Interest::read : io::Interest::write;
    woken = waiter.wait_ready(query.connection().source(), interest, deadline);
    waited = true;
    if (woken.timed_out || !sampled) continue;
    told = woken.told;
    woken.told = query.connection().arrived(sent, told);
  }
  if (told != 0 && !woken.timed_out) query.connection().count_result(woken.told, told);
  return woken;
}

Rows result_of(Query& query, const io::Woken& woken) {
  if (query.failed()) throw Failure(query.error());
  if (woken.timed_out && !query.connection().ready()) throw Failure(query_timeout());
  return query.take_rows();
}

}  // namespace

Error query_timeout() { return {ErrorCode::timeout, "the statement was not answered before the request's deadline"}; }

Rows await_query(Connection& connection, const Statement& statement, const Params& params, io::Waiter& waiter,
                 Deadline deadline, measure::PhaseTrace& trace) {
  const Ns sent = waiter.clock().now();
  if (deadline.passed(sent)) throw Failure(query_timeout());  // before the send: the connection stays clean
  trace.turn(measure::Phase::database, sent);
  Query query(connection, statement, params);
  bool waited = false;
  const io::Woken woken = drive(query, sent, trace.sampled(), waiter, deadline, waited);
  if (waited) {
    trace.end(woken.told);
    trace.add(measure::Phase::wakeup, woken.told, woken.running);
    trace.begin(measure::Phase::cpu, woken.running);
  } else {
    trace.turn(measure::Phase::cpu, waiter.clock().now());
  }
  return result_of(query, woken);
}

Rows await_statement(Connection& connection, const Statement& statement, const Params& params, io::Waiter& waiter,
                     Deadline deadline) {
  measure::PhaseTrace uncounted;
  return await_query(connection, statement, params, waiter, deadline, uncounted);
}

void ensure_connected(Connection& connection, std::span<const Statement> statements, io::Waiter& waiter,
                      Deadline deadline) {
  if (connection.looks_alive()) return;
  Reconnect reconnect(connection, statements, waiter.clock().now(), deadline);
  for (;;) {
    switch (reconnect.step(waiter.clock().now())) {
      case ReconnectStep::want_read:
        waiter.wait_ready(connection.source(), io::Interest::read, reconnect.give_up());
        break;
      case ReconnectStep::want_write:
        waiter.wait_ready(connection.source(), io::Interest::write, reconnect.give_up());
        break;
      case ReconnectStep::pause:
        waiter.sleep_until(reconnect.pause_until(), io::WaitReason::connection);
        break;
      case ReconnectStep::done:
        return;
      case ReconnectStep::failed:
        throw Failure(reconnect.error());
    }
  }
}

}  // namespace parkbench::postgres
