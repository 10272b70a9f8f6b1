#include "parkbench/run/make_model.hpp"

#include "parkbench/models/reactive_model.hpp"
#include "parkbench/models/thread_pool_model.hpp"
#include "parkbench/models/virtual_threads_model.hpp"

namespace parkbench::run {

thread_pool::ThreadPoolOptions thread_pool_options(const Scenario& scenario, const Clock& clock) {
  thread_pool::ThreadPoolOptions options;
  options.workers = scenario.workers;
  options.queue = scenario.queue;
  options.rejection = scenario.rejection;
  options.stack_bytes = scenario.stack_kib * 1024;
  options.clock = &clock;
  return options;
}

virtual_threads::SchedulerOptions scheduler_options(const Scenario& scenario, const Clock& clock) {
  virtual_threads::SchedulerOptions options;
  options.carriers = scenario.carriers;
  options.stealing = scenario.stealing;
  options.clock = &clock;
  return options;
}

std::unique_ptr<models::Model> make_model(const Scenario& scenario, workload::Resources& resources,
                                          models::Books& books) {
  const Clock& clock = resources.clock;
  switch (scenario.model) {
    case ModelKind::thread_pool:
      return std::make_unique<models::ThreadPoolModel>(thread_pool_options(scenario, clock), resources, books);
    case ModelKind::virtual_threads:
      return std::make_unique<models::VirtualThreadsModel>(scheduler_options(scenario, clock), resources, books);
    case ModelKind::reactive:
      return std::make_unique<models::ReactiveModel>(scenario.loops, resources, books);
  }
  throw Failure(ErrorCode::internal, "unknown model");
}

}  // namespace parkbench::run
