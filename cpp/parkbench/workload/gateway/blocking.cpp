#include "parkbench/workload/gateway/blocking.hpp"

#include "parkbench/measure/phase.hpp"
#include "parkbench/workload/delay_profile.hpp"

namespace parkbench::workload::gateway {

Passed run_blocking(Resources& resources, measure::Request& request, io::Waiter& waiter, const Inbound& inbound) {
  if (inbound.denied) return {.status = 403, .body = "denied", .headers = {}};
  const Ns begin = waiter.clock().now();
  request.trace.turn(measure::Phase::downstream, begin);
  const io::Woken woken =
      waiter.sleep_until(begin + delay_of(resources.options.gateway.delay, request.number, -1), io::WaitReason::io);
  request.trace.end(woken.told);
  request.trace.add(measure::Phase::wakeup, woken.told, woken.running);
  request.trace.begin(measure::Phase::cpu, woken.running);
  return {.body = "downstream ok", .headers = {}};
}

}  // namespace parkbench::workload::gateway
