#pragma once

#include <utility>

#include "parkbench/measure/phase.hpp"
#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/mono.hpp"

namespace parkbench::workload {

/// The value, after the application has waited by itself; the twin of app_wait. Subscribed to on the loop's thread.
template <class T>
reactive::Mono<T> app_wait_mono(reactive::EventLoop& loop, Ns length, measure::PhaseTrace& trace, T value) {
  return reactive::Mono<T>::defer([&loop, length, &trace, value] {
    const Ns begin = loop.clock().now();
    trace.turn(measure::Phase::app_wait, begin);
    loop.gauge().begin(io::WaitReason::app_wait);
    return reactive::timer(begin + length, loop.timers()).map([&loop, &trace, value](Ns due) {
      loop.gauge().end(io::WaitReason::app_wait);
      const Ns running = loop.clock().now();
      trace.end(due);
      trace.add(measure::Phase::wakeup, due, running);
      trace.begin(measure::Phase::cpu, running);
      return value;
    });
  });
}

}  // namespace parkbench::workload
