#include <algorithm>

#include "bindings/bind.hpp"

namespace parkbench {
namespace {

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
  using Kind = load::Arrivals::Kind;
  load::Arrivals arrivals;
  arrivals.kind = named<Kind>(
      dict, "kind",
      {{"closed", Kind::closed}, {"rounds", Kind::rounds}, {"constant", Kind::constant}, {"poisson", Kind::poisson}});
  if (arrivals.open()) {
    arrivals.rate = dict["rate"].cast<double>();
    if (!(arrivals.rate > 0)) throw py::value_error("arrivals: the rate must be above 0");
  } else if (arrivals.kind == Kind::closed) {
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

/// A number, or what stands for none of it.
template <class T>
T or_none(const py::dict& dict, const char* key, T none) {
  return dict[key].is_none() ? none : dict[key].cast<T>();
}

workload::Delay delay_from(const py::dict& dict) {
  workload::Delay delay;
  delay.base = from_ms(dict["downstream_ms"].cast<double>());
  delay.jitter = from_ms(dict["downstream_jitter_ms"].cast<double>());
  if (!dict["brownout"].is_none()) {
    const auto brownout = dict["brownout"].cast<py::dict>();
    delay.slow = from_ms(brownout["delay_ms"].cast<double>());
    delay.slow_from = from_seconds(brownout["from_s"].cast<double>());
    delay.slow_until = from_seconds(brownout["until_s"].cast<double>());
  }
  return delay;
}

workload::GatewayOptions gateway_from(const py::dict& dict) {
  using workload::AggregateOrder;
  using workload::Downstream;
  using workload::FilterLock;
  workload::GatewayOptions options;
  options.downstream =
      named<Downstream>(dict, "downstream", {{"timer", Downstream::timer}, {"http", Downstream::http}});
  options.port = dict["downstream_port"].cast<std::uint16_t>();
  options.delay = delay_from(dict);
  options.downstream_timeout = from_seconds(dict["downstream_timeout_s"].cast<double>());
  options.downstream_connections = or_none(dict, "downstream_connections", 0);
  options.filter_lock = named<FilterLock>(
      dict, "filter_lock",
      {{"none", FilterLock::none}, {"pinning", FilterLock::pinning}, {"parking", FilterLock::parking}});
  options.aggregate = dict["aggregate"].cast<int>();
  options.aggregate_order = named<AggregateOrder>(
      dict, "aggregate_order", {{"parallel", AggregateOrder::parallel}, {"sequential", AggregateOrder::sequential}});
  options.bulkhead = or_none(dict, "bulkhead", std::int64_t{0});
  options.circuit_breaker = dict["circuit_breaker"].cast<bool>();
  options.token = or_none(dict, "gateway_token", std::string());
  options.rate_limit = dict["rate_limit"].cast<double>();
  return options;
}

workload::Options workload_from(const py::dict& dict) {
  using workload::AppWaitAt;
  using workload::ConnectionHold;
  using workload::Kind;
  workload::Options options;
  options.kind = named<Kind>(dict, "workload",
                             {{"noop", Kind::noop},
                              {"sleep", Kind::sleep},
                              {"pricing", Kind::pricing},
                              {"gateway", Kind::gateway},
                              {"cpu", Kind::cpu},
                              {"file", Kind::file},
                              {"stream", Kind::stream},
                              {"mixed", Kind::mixed}});
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
  options.file_kib = dict["file_kib"].cast<std::uint32_t>();
  options.rows = dict["rows"].cast<std::uint32_t>();
  options.row_every = from_ms(dict["row_every_ms"].cast<double>());
  options.fast = from_ms(dict["mixed_fast_ms"].cast<double>());
  options.slow = from_ms(dict["mixed_slow_ms"].cast<double>());
  options.slow_share = dict["mixed_slow_share"].cast<double>();
  options.gateway = gateway_from(dict);
  return options;
}

Ns from_us(double us) { return std::llround(us * static_cast<double>(kMicrosecond)); }

/// What tests and the exam plant, by the names they use. Where a plant works: gap_ms, constant_answer and hidden_cache
/// in pricing; memory_mib in pricing and cpu, against the alloc_kib of all requests at work together; loop_stall_ms
/// (with loop_stall_every), pin_ms and lock_us in every workload, on both transports; generator_us on both; backlog and
/// accept_delay_ms (a connection then serves one request) over http; drop_answer on direct.
void take_plant(const py::dict& plant, run::Scenario& scenario) {
  workload::Plant& into = scenario.workload.plant;
  for (const auto& [name, value] : plant) {
    const auto key = name.cast<std::string>();
    const auto number = [v = value] { return v.cast<double>(); };
    if (key == "gap_ms") {
      into.gap = from_ms(number());
    } else if (key == "drop_answer") {
      scenario.drop_answers = value.cast<int>();
    } else if (key == "loop_stall_ms") {
      into.stall = from_ms(number());
    } else if (key == "loop_stall_every") {
      into.stall_every = std::max<std::uint64_t>(1, value.cast<std::uint64_t>());
    } else if (key == "pin_ms") {
      into.pin = from_ms(number());
    } else if (key == "lock_us") {
      into.lock = from_us(number());
    } else if (key == "generator_us") {
      scenario.load.planted_burn = from_us(number());
    } else if (key == "memory_mib") {
      into.memory = std::llround(number() * 1024 * 1024);
    } else if (key == "constant_answer") {
      into.constant_price = value.cast<bool>() ? 1 : 0;
    } else if (key == "hidden_cache") {
      into.hidden_cache = value.cast<bool>();
    } else if (key == "backlog") {
      scenario.planted_backlog = value.cast<int>();
    } else if (key == "accept_delay_ms") {
      scenario.planted_accept_delay = from_ms(number());
    } else {
      throw py::value_error("plant: there is no " + key);
    }
  }
}

}  // namespace

run::Scenario scenario_from(const py::dict& dict) {
  using run::ModelKind;
  using run::Transport;
  using virtual_threads::Stealing;
  run::Scenario scenario;
  scenario.model = named<ModelKind>(dict, "model",
                                    {{"thread_pool", ModelKind::thread_pool},
                                     {"virtual_threads", ModelKind::virtual_threads},
                                     {"reactive", ModelKind::reactive}});
  scenario.transport = named<Transport>(dict, "transport", {{"direct", Transport::direct}, {"http", Transport::http}});
  scenario.server_fd = or_none(dict, "server_fd", -1);
  scenario.downstream_fd = or_none(dict, "downstream_fd", -1);
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
  if (dict.contains("plant")) take_plant(dict["plant"].cast<py::dict>(), scenario);
  return scenario;
}

}  // namespace parkbench
