#include <cmath>

#include "bindings/bind.hpp"

namespace parkbench {
namespace {

Ns from_seconds(double seconds) { return std::llround(seconds * static_cast<double>(kSecond)); }
Ns from_ms(double ms) { return std::llround(ms * static_cast<double>(kMillisecond)); }

/// One value of a closed set of names.
template <class T>
T named(const py::dict& dict, const char* key, std::initializer_list<std::pair<const char*, T>> names) {
  const auto value = dict[key].cast<std::string>();
  for (const auto& [name, meaning] : names) {
    if (value == name) return meaning;
  }
  throw py::value_error(std::string(key) + ": unknown value '" + value + "'");
}

load::Arrivals arrivals_from(const py::dict& dict) {
  load::Arrivals arrivals;
  arrivals.kind = named<load::Arrivals::Kind>(
      dict, "kind", {{"closed", load::Arrivals::Kind::closed}, {"rounds", load::Arrivals::Kind::rounds}});
  if (arrivals.kind == load::Arrivals::Kind::closed) {
    arrivals.think = from_seconds(dict["think_s"].cast<double>());
  } else {
    arrivals.pause = from_seconds(dict["pause_s"].cast<double>());
    if (!dict["every_s"].is_none()) arrivals.every = from_seconds(dict["every_s"].cast<double>());
  }
  return arrivals;
}

load::LoadPlan load_from(const py::dict& dict) {
  load::LoadPlan plan;
  plan.users = dict["concurrency"].cast<int>();
  plan.arrivals = arrivals_from(dict["arrivals"].cast<py::dict>());
  plan.warm_up = from_seconds(dict["warmup_s"].cast<double>());
  plan.duration = from_seconds(dict["duration_s"].cast<double>());
  plan.max_duration = from_seconds(dict["max_duration_s"].cast<double>());
  plan.requests_per_user = dict["requests_per_user"].cast<std::optional<std::uint64_t>>();
  plan.timeout = from_seconds(dict["timeout_s"].cast<double>());
  plan.seed = dict["seed"].cast<std::uint64_t>();
  plan.products = dict["products"].cast<std::uint32_t>();
  return plan;
}

workload::Options workload_from(const py::dict& dict) {
  using workload::AppWaitAt;
  using workload::ConnectionHold;
  using workload::Kind;
  workload::Options options;
  options.kind =
      named<Kind>(dict, "workload", {{"noop", Kind::noop}, {"sleep", Kind::sleep}, {"pricing", Kind::pricing}});
  options.sleep = from_ms(dict["sleep_ms"].cast<double>());
  options.query_delay = from_ms(dict["query_delay_ms"].cast<double>());
  options.connection_hold = named<ConnectionHold>(dict, "connection_hold",
                                                  {{"statement", ConnectionHold::statement},
                                                   {"request", ConnectionHold::request},
                                                   {"transaction", ConnectionHold::transaction}});
  options.app_wait = from_ms(dict["app_wait_ms"].cast<double>());
  options.app_wait_at =
      named<AppWaitAt>(dict, "app_wait_at", {{"between", AppWaitAt::between}, {"after", AppWaitAt::after}});
  options.cpu = std::llround(dict["cpu_us"].cast<double>() * static_cast<double>(kMicrosecond));
  options.alloc_kib = dict["alloc_kib"].cast<std::uint32_t>();
  options.acquire_timeout = from_seconds(dict["acquire_timeout_s"].cast<double>());
  options.connections = dict["connections"].cast<int>();
  options.products = dict["products"].cast<std::uint32_t>();
  if (!dict["dsn"].is_none()) options.dsn = dict["dsn"].cast<std::string>();
  return options;
}

}  // namespace

run::Scenario scenario_from(const py::dict& dict) {
  using run::ModelKind;
  using virtual_threads::Stealing;
  run::Scenario scenario;
  scenario.model = named<ModelKind>(dict, "model",
                                    {{"thread_pool", ModelKind::thread_pool},
                                     {"virtual_threads", ModelKind::virtual_threads},
                                     {"reactive", ModelKind::reactive}});
  scenario.load = load_from(dict);
  scenario.workload = workload_from(dict);
  scenario.workers = dict["workers"].cast<int>();
  scenario.queue = dict["queue"].cast<std::size_t>();
  const auto rejection = thread_pool::rejection_policy(dict["rejection"].cast<std::string>());
  if (!rejection) throw py::value_error("rejection: reject, caller_runs or block");
  scenario.rejection = *rejection;
  scenario.stack_kib = dict["stack_kib"].cast<std::size_t>();
  scenario.carriers = dict["carriers"].cast<int>();
  scenario.stealing = named<Stealing>(
      dict, "stealing", {{"started", Stealing::started}, {"unstarted", Stealing::unstarted}, {"off", Stealing::off}});
  scenario.loops = dict["loops"].cast<int>();
  scenario.limit = dict["limit"].cast<std::optional<std::int64_t>>();
  const auto plant = dict.contains("plant") ? dict["plant"].cast<py::dict>() : py::dict();
  if (plant.contains("gap_ms")) scenario.workload.plant_gap = from_ms(plant["gap_ms"].cast<double>());
  if (plant.contains("drop_answer")) scenario.drop_answers = plant["drop_answer"].cast<int>();
  return scenario;
}

}  // namespace parkbench
