#include "parkbench/client/await_call.hpp"

namespace parkbench::client {

Answer await_call(ConnectionPool& pool, std::string_view request, io::Waiter& waiter, Deadline deadline,
                  measure::PhaseTrace& trace) {
  BlockingCall call(pool, waiter, deadline);
  try {
    call.begin(request);
    Answer answer = call.finish();
    record(trace, call.times());
    return answer;
  } catch (...) {
    CallTimes times = call.times();
    times.told = 0;
    times.running = waiter.clock().now();
    record(trace, times);
    throw;
  }
}

}  // namespace parkbench::client
