#pragma once

#include <memory>

#include "parkbench/models/books.hpp"
#include "parkbench/models/model.hpp"
#include "parkbench/run/scenario.hpp"
#include "parkbench/thread_pool/thread_pool.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::run {

/// The scenario's parameters of one model.
thread_pool::ThreadPoolOptions thread_pool_options(const Scenario& scenario, const Clock& clock);
virtual_threads::SchedulerOptions scheduler_options(const Scenario& scenario, const Clock& clock);

/// Starts the threads of the scenario's model.
/// @throws Failure(out_of_memory) naming what could not be had.
std::unique_ptr<models::Model> make_model(const Scenario& scenario, workload::Resources& resources,
                                          models::Books& books);

}  // namespace parkbench::run
