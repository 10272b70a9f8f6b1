#include "parkbench/workload/run_reactive.hpp"

#include "parkbench/workload/noop/reactive.hpp"
#include "parkbench/workload/pricing/reactive.hpp"
#include "parkbench/workload/sleep/reactive.hpp"

namespace parkbench::workload {

reactive::Mono<std::int64_t> run_reactive(Resources& resources, measure::Request& request, reactive::EventLoop& loop) {
  switch (resources.options.kind) {
    case Kind::noop:
      return noop::run_reactive();
    case Kind::sleep:
      return sleep::run_reactive(resources, request, loop);
    case Kind::pricing:
      return pricing::run_reactive(resources, request, loop);
  }
  return reactive::Mono<std::int64_t>::error({ErrorCode::internal, "unknown workload"});
}

}  // namespace parkbench::workload
