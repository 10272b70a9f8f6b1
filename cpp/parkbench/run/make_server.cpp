#include "parkbench/run/make_server.hpp"

#include "parkbench/run/make_model.hpp"
#include "parkbench/server/reactive_server.hpp"
#include "parkbench/server/thread_pool_server.hpp"
#include "parkbench/server/virtual_threads_server.hpp"

namespace parkbench::run {

std::unique_ptr<server::Server> make_server(const Scenario& scenario, server::ServerOptions listen,
                                            workload::Resources& resources) {
  listen.limit = scenario.limit;
  switch (scenario.model) {
    case ModelKind::thread_pool:
      return std::make_unique<server::ThreadPoolServer>(listen, thread_pool_options(scenario, resources.clock),
                                                        resources);
    case ModelKind::virtual_threads:
      return std::make_unique<server::VirtualThreadsServer>(listen, scheduler_options(scenario, resources.clock),
                                                            resources);
    case ModelKind::reactive:
      return std::make_unique<server::ReactiveServer>(listen, scenario.loops, resources);
  }
  throw Failure(ErrorCode::internal, "unknown model");
}

}  // namespace parkbench::run
