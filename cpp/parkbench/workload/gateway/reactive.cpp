#include "parkbench/workload/gateway/reactive.hpp"

#include "parkbench/measure/phase.hpp"
#include "parkbench/workload/delay_profile.hpp"

namespace parkbench::workload::gateway {

reactive::Mono<Passed> run_reactive(Resources& resources, measure::Request& request, reactive::EventLoop& loop,
                                    const Inbound& inbound) {
  using Answer = reactive::Mono<Passed>;
  if (inbound.denied) return Answer::just({.status = 403, .body = "denied", .headers = {}});
  return Answer::defer([&resources, &request, &loop] {
    const Ns begin = loop.clock().now();
    request.trace.turn(measure::Phase::downstream, begin);
    const Ns due = begin + delay_of(resources.options.gateway.delay, request.number, -1);
    return reactive::timer(due, loop.timers()).map([&request, &loop](Ns told) {
      const Ns running = loop.clock().now();
      request.trace.end(told);
      request.trace.add(measure::Phase::wakeup, told, running);
      request.trace.begin(measure::Phase::cpu, running);
      return Passed{.body = "downstream ok", .headers = {}};
    });
  });
}

}  // namespace parkbench::workload::gateway
