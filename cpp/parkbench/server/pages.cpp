#include "parkbench/server/pages.hpp"

#include <array>

#include "parkbench/base/decimal.hpp"
#include "parkbench/measure/process_usage.hpp"

namespace parkbench::server {
namespace {

using Kind = service::Route::Kind;
using Outcome = RequestTally::Outcome;

/// Writes families of Prometheus' text format (version 0.0.4).
class Exposition {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += "# HELP ";
    text_ += name;
    text_ += ' ';
    text_ += help;
    text_ += "\n# TYPE ";
    text_ += name;
    text_ += ' ';
    text_ += type;
    text_ += '\n';
  }
  /// @param suffix of the family's name. @param labels `a="b"`, without the braces.
  Exposition& sample(std::string_view suffix, std::string_view labels) {
    text_ += name_;
    text_ += suffix;
    if (!labels.empty()) {
      text_ += '{';
      text_ += labels;
      text_ += '}';
    }
    text_ += ' ';
    return *this;
  }
  void is(std::int64_t value) { text_ += std::to_string(value) + '\n'; }
  void is_seconds(Ns value) {
    append_decimal(text_, value, kSecond, 9);
    text_ += '\n';
  }
  void one(std::string_view name, std::string_view type, std::string_view help, std::int64_t value,
           std::string_view labels = {}) {
    family(name, type, help);
    sample({}, labels).is(value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string_view name_;
};

std::string label(std::string_view key, std::string_view value) {
  return std::string(key) + "=\"" + std::string(value) + '"';
}

std::string_view name_of(Outcome outcome) {
  static constexpr std::array<std::string_view, RequestTally::kOutcomes> kNames = {"SUCCESS", "CLIENT_ERROR",
                                                                                   "SERVER_ERROR"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

template <class Value>
std::int64_t number(Value value) {
  return static_cast<std::int64_t>(value);
}

void write_requests(Exposition& out, const RequestTally& tally) {
  out.family("http_server_requests_seconds", "summary", "Answered requests, from the last byte to the answer.");
  for (std::size_t route = 0; route < service::Route::kKinds; ++route) {
    for (std::size_t outcome = 0; outcome < RequestTally::kOutcomes; ++outcome) {
      const auto sum = tally.of(static_cast<Kind>(route), static_cast<Outcome>(outcome));
      if (sum.requests == 0) continue;
      const std::string labels = label("uri", service::to_string(static_cast<Kind>(route))) + ',' +
                                 label("outcome", name_of(static_cast<Outcome>(outcome)));
      out.sample("_count", labels).is(number(sum.requests));
      out.sample("_sum", labels).is_seconds(sum.time);
    }
  }
}

void write_threads(Exposition& out, std::string_view model, const models::Counters& counters) {
  static constexpr std::array<std::string_view, io::kThreadStates> kStates = {"idle",       "cpu",      "io",
                                                                              "connection", "app_wait", "pinned"};
  static constexpr std::array<std::string_view, io::kWaitReasons> kReasons = {"io", "connection", "app_wait"};
  std::int64_t all = 0;
  out.family("parkbench_threads", "gauge", "Threads of the model by what they do or wait for.");
  for (std::size_t state = 0; state < kStates.size(); ++state) {
    out.sample({}, label("state", kStates[state])).is(counters.threads[state]);
    all += counters.threads[state];
  }
  out.family("parkbench_requests_waiting", "gauge", "Requests that wait, by what for.");
  for (std::size_t reason = 0; reason < kReasons.size(); ++reason) {
    out.sample({}, label("reason", kReasons[reason])).is(counters.requests_waiting[reason]);
  }
  const std::string name = label("name", model);
  const std::int64_t idle = counters.threads[static_cast<std::size_t>(io::ThreadState::idle)];
  out.one("executor_active_threads", "gauge", "Threads that are not idle.", all - idle, name);
  out.one("executor_pool_size_threads", "gauge", "Threads of the model: workers, carriers or loops.", all, name);
  out.one("executor_queued_tasks", "gauge", "Requests taken in whose handler has not begun.", counters.queued, name);
  out.one("parkbench_steals_total", "counter", "Started virtual threads taken by another carrier.",
          number(counters.steals));
  out.one("parkbench_pins_total", "counter", "Blocking calls that held a carrier or a loop.", number(counters.pins));
}

void write_server(Exposition& out, const ServerCounters& counters) {
  out.one("parkbench_connections", "gauge", "Open connections.", counters.connections);
  out.one("parkbench_connections_total", "counter", "Connections taken.", number(counters.connections_total));
  out.one("parkbench_connections_dropped_total", "counter",
          "Connections dropped with 503: no descriptor was left, or max_connections reached.",
          number(counters.connections_dropped));
  out.one("parkbench_requests_total", "counter", "Complete requests, refused ones too.", number(counters.requests));
  out.one("parkbench_bad_requests_total", "counter", "Requests that the protocol answered: malformed, too large, late.",
          number(counters.bad_requests));
}

void write_pool(Exposition& out, const postgres::PoolCounters& pool) {
  const std::string name = label("pool", "parkbench");
  out.one("hikaricp_connections", "gauge", "Connections of the database pool.", pool.size, name);
  out.one("hikaricp_connections_active", "gauge", "Connections in use.", pool.in_use, name);
  out.one("hikaricp_connections_idle", "gauge", "Connections not in use.", pool.size - pool.in_use, name);
  out.one("hikaricp_connections_max", "gauge", "Most connections there can be.", pool.size, name);
  out.one("hikaricp_connections_pending", "gauge", "Requests that wait for a connection.", pool.waiting, name);
}

void write_process(Exposition& out) {
  const measure::ProcessUsage usage = measure::read_process_usage();
  out.family("process_cpu_seconds_total", "counter", "CPU time, user and system.");
  out.sample({}, {}).is_seconds(usage.cpu);
  out.one("process_resident_memory_bytes", "gauge", "Resident memory.", usage.resident_bytes);
  out.one("process_threads", "gauge", "Threads of the process.", usage.threads);
  out.one("parkbench_context_switches_total", "counter", "Context switches, voluntary and involuntary.",
          number(usage.context_switches));
}

}  // namespace

std::string ServerPages::metrics() const {
  Exposition out;
  const models::Counters counters = server_.counters();
  const std::string_view guard = server_.guard_mode();
  out.one("parkbench_info", "gauge", "The model that answers, and how its stacks are guarded.", 1,
          label("model", model_) + (guard.empty() ? std::string{} : ',' + label("guard", guard)));
  write_requests(out, tally_);
  out.one("http_server_requests_active", "gauge", "Requests taken in and not answered.", counters.held);
  write_threads(out, model_, counters);
  write_server(out, server_.server_counters());
  if (resources_.pool) write_pool(out, resources_.pool->counters());
  write_process(out);
  return out.take();
}

}  // namespace parkbench::server
