#pragma once

#include <string>

#include "parkbench/run/scenario.hpp"
#include "workload/pricing_database.hpp"

namespace parkbench::run::testing {

/// A scenario that is over quickly.
inline Scenario quick(ModelKind model, workload::Kind kind) {
  Scenario scenario;
  scenario.model = model;
  scenario.workload.kind = kind;
  scenario.workload.sleep = 5 * kMillisecond;
  scenario.workers = 20;
  scenario.carriers = 2;
  scenario.loops = 2;
  scenario.load.users = 20;
  scenario.load.warm_up = 20 * kMillisecond;
  scenario.load.duration = 100 * kMillisecond;
  if (kind == workload::Kind::pricing) {
    scenario.workload = workload::testing::pricing_options();
    scenario.load.products = workload::testing::kProducts;
  }
  return scenario;
}

inline std::string name_of(ModelKind model) {
  switch (model) {
    case ModelKind::thread_pool:
      return "thread_pool";
    case ModelKind::virtual_threads:
      return "virtual_threads";
    case ModelKind::reactive:
      return "reactive";
  }
  return "";
}

}  // namespace parkbench::run::testing
