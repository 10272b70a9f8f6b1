#include "parkbench/workload/run_reactive.hpp"

#include "parkbench/workload/cpu/reactive.hpp"
#include "parkbench/workload/file/reactive.hpp"
#include "parkbench/workload/gateway/reactive.hpp"
#include "parkbench/workload/mixed/reactive.hpp"
#include "parkbench/workload/noop/reactive.hpp"
#include "parkbench/workload/pricing/reactive.hpp"
#include "parkbench/workload/sleep/reactive.hpp"
#include "parkbench/workload/stream/reactive.hpp"

namespace parkbench::workload {

reactive::Mono<std::int64_t> run_reactive(Resources& resources, measure::Request& request, reactive::EventLoop& loop) {
  switch (resources.options.kind) {
    case Kind::noop:
      return noop::run_reactive();
    case Kind::sleep:
      return sleep::run_reactive(resources, request, loop, resources.options.sleep);
    case Kind::pricing:
      return pricing::run_reactive(resources, request, loop);
    case Kind::gateway: {
      static const gateway::Inbound kPlain;
      return gateway::run_reactive(resources, request, loop, kPlain).map(gateway::value_of);
    }
    case Kind::cpu:
      return cpu::run_reactive(resources, request, loop, 0);
    case Kind::file:
      return file::run_reactive(resources, request, loop);
    case Kind::stream:
      return stream::run_reactive(resources, request, loop);
    case Kind::mixed:
      return mixed::run_reactive(resources, request, loop);
  }
  return reactive::Mono<std::int64_t>::error({ErrorCode::internal, "unknown workload"});
}

}  // namespace parkbench::workload
