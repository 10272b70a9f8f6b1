#include "parkbench/run/make_model.hpp"

#include "parkbench/models/reactive_model.hpp"
#include "parkbench/models/thread_pool_model.hpp"
#include "parkbench/models/virtual_threads_model.hpp"

namespace parkbench::run {

std::unique_ptr<models::Model> make_model(const Scenario& scenario, workload::Resources& resources,
                                          models::Books& books) {
  switch (scenario.model) {
    case ModelKind::thread_pool: {
      thread_pool::ThreadPoolOptions options;
      options.workers = scenario.workers;
      options.queue = scenario.queue;
      options.rejection = scenario.rejection;
      options.stack_bytes = scenario.stack_kib * 1024;
      options.clock = &resources.clock;
      return std::make_unique<models::ThreadPoolModel>(options, resources, books);
    }
    case ModelKind::virtual_threads: {
      virtual_threads::SchedulerOptions options;
      options.carriers = scenario.carriers;
      options.stealing = scenario.stealing;
      options.clock = &resources.clock;
      return std::make_unique<models::VirtualThreadsModel>(options, resources, books);
    }
    case ModelKind::reactive:
      return std::make_unique<models::ReactiveModel>(scenario.loops, resources, books);
  }
  throw Failure(ErrorCode::internal, "unknown model");
}

}  // namespace parkbench::run
