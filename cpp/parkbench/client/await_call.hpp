#pragma once

#include <string_view>

#include "parkbench/client/blocking_call.hpp"

namespace parkbench::client {

/// One GET; the waiter waits. On entry the phase `cpu` is open in trace and on return too, also when it throws:
/// `connection` runs from the asking until a connection is open, `downstream` from the send until the waiter was told
/// of the answer, `wakeup` from there until the code runs again.
/// @throws Failure as BlockingCall.
Answer await_call(ConnectionPool& pool, std::string_view request, io::Waiter& waiter, Deadline deadline,
                  measure::PhaseTrace& trace);

}  // namespace parkbench::client
