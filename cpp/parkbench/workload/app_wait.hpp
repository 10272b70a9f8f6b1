#pragma once

#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/phase.hpp"

namespace parkbench::workload {

/// The application waits by itself. On entry and on return the phase `cpu` is open in trace.
inline void app_wait(io::Waiter& waiter, Ns length, measure::PhaseTrace& trace) {
  if (length <= 0) return;
  const Ns begin = waiter.clock().now();
  trace.turn(measure::Phase::app_wait, begin);
  const io::Woken woken = waiter.sleep_until(begin + length, io::WaitReason::app_wait);
  trace.end(woken.told);
  trace.add(measure::Phase::wakeup, woken.told, woken.running);
  trace.begin(measure::Phase::cpu, woken.running);
}

/// Tests only: time between two phases, which must come out as `unexplained`.
inline void plant_gap(io::Waiter& waiter, Ns length, measure::PhaseTrace& trace) {
  if (length <= 0) return;
  const Ns begin = waiter.clock().now();
  trace.end(begin);
  const io::Woken woken = waiter.sleep_until(begin + length, io::WaitReason::app_wait);
  trace.add(measure::Phase::wakeup, woken.told, woken.running);
  trace.begin(measure::Phase::cpu, woken.running);
}

}  // namespace parkbench::workload
