#pragma once

#include <string>
#include <string_view>

#include "parkbench/client/connection.hpp"
#include "parkbench/client/content_type.hpp"
#include "parkbench/measure/phase.hpp"

namespace parkbench::client {

/// What a server answered.
struct Answer {
  int status = 0;
  std::string body;
  std::string_view content_type;  // of static storage; empty when there was none
};

inline Answer answer_of(const http::ClientSession& session) {
  const std::string_view type = session.header("content-type");
  return {session.status(), std::string(session.body()), type.empty() ? type : kept_content_type(type)};
}

/// When what happened in one call; 0: it did not come to that.
struct CallTimes {
  Ns asked = 0;         // for a connection
  Ns line_told = 0;     // where it stood in line: a connection was handed over ...
  Ns line_running = 0;  // ... and the caller ran again
  Ns sent = 0;          // the request was handed to the socket
  Ns told = 0;          // the answer is there, as the waiter was told
  Ns running = 0;       // the caller ran again, or the call has failed
};

/// Writes a call down whose caller had the phase `cpu` open; it is open again at times.running.
inline void record(measure::PhaseTrace& trace, const CallTimes& times) {
  using measure::Phase;
  trace.turn(Phase::connection, times.asked);
  if (times.line_told != 0) {
    trace.end(times.line_told);
    trace.add(Phase::wakeup, times.line_told, times.line_running);
    trace.begin(Phase::connection, times.line_running);
  }
  if (times.sent != 0) trace.turn(Phase::downstream, times.sent);
  trace.end(times.told != 0 ? times.told : times.running);
  if (times.told != 0) trace.add(Phase::wakeup, times.told, times.running);
  trace.begin(Phase::cpu, times.running);
}

}  // namespace parkbench::client
