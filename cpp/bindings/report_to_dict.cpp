#include "bindings/bind.hpp"

namespace parkbench {
namespace {

py::dict phases(const std::array<double, measure::kPhases>& values) {
  py::dict dict;
  for (std::size_t i = 0; i < values.size(); ++i) {
    dict[py::str(std::string(to_string(static_cast<measure::Phase>(i))))] = values[i];
  }
  return dict;
}

py::dict ledger_of(const measure::Ledger& ledger) {
  py::dict dict;
  dict["scheduled"] = ledger.scheduled;
  dict["unsent"] = ledger.unsent;
  dict["ok"] = ledger.ok;
  dict["rejected"] = ledger.rejected;
  dict["failed"] = ledger.failed;
  dict["timed_out"] = ledger.timed_out;
  dict["in_flight_at_end"] = ledger.in_flight_at_end;
  return dict;
}

py::dict failures_of(const measure::Ledger& ledger) {
  py::dict dict;
  for (std::size_t i = 0; i < ledger.failures.size(); ++i) {
    if (ledger.failures[i] != 0) {
      dict[py::str(std::string(to_string(static_cast<ErrorCode>(i))))] = ledger.failures[i];
    }
  }
  return dict;
}

void add_times(py::dict& dict, const run::Report& report) {
  dict["response_mean_ms"] = report.response.mean_ms;
  dict["response_p50_ms"] = report.response.p50_ms;
  dict["response_p90_ms"] = report.response.p90_ms;
  dict["response_p99_ms"] = report.response.p99_ms;
  dict["response_max_ms"] = report.response.max_ms;
  dict["from_send_mean_ms"] = report.from_send.mean_ms;
  dict["from_send_p99_ms"] = report.from_send.p99_ms;
}

void add_threads(py::dict& dict, const run::Report& report) {
  const auto state = [&](io::ThreadState s) { return report.threads_by_state[static_cast<std::size_t>(s)]; };
  dict["threads_peak"] = report.threads_peak;
  dict["threads_mean"] = report.threads_mean;
  dict["threads_blocked_mean"] = report.threads_blocked_mean;
  dict["threads_blocked_max"] = report.threads_blocked_max;
  dict["threads_on_io_mean"] = state(io::ThreadState::on_io);
  dict["threads_on_connection_mean"] = state(io::ThreadState::on_connection);
  dict["threads_on_app_wait_mean"] = state(io::ThreadState::on_app_wait);
  dict["threads_pinned_mean"] = state(io::ThreadState::pinned);
  dict["threads_on_cpu_mean"] = state(io::ThreadState::on_cpu);
  dict["threads_idle_mean"] = state(io::ThreadState::idle);
  dict["requests_waiting_mean"] = report.requests_waiting_mean;
}

py::dict cpu_of(const run::Report& report) {
  py::dict dict;
  dict["server_s"] = report.cpu_s;
  dict["generator_s"] = report.generator_cpu_s;
  dict["downstream_s"] = report.downstream_cpu_s;
  dict["generator_share"] = report.generator_cpu_share;
  return dict;
}

void add_http(py::dict& details, const run::Report& report) {
  if (!report.http) return;
  details["server_port"] = report.http->port;
  details["connects"] = report.http->connects;
  details["reconnects"] = report.http->reconnects;
  const auto& server = report.http->server;
  details["server_connections_total"] = server.connections_total;
  details["server_connections_dropped"] = server.connections_dropped;
  details["server_requests"] = server.requests;
  details["server_bad_requests"] = server.bad_requests;
  py::dict failures;
  for (const auto& [cause, count] : report.http->server_failures) failures[py::str(cause)] = count;
  details["server_failures"] = failures;
}

/// What threads, locks and connections were held by or waited for. None: not there, or the kernel does not say.
void add_holding(py::dict& details, const run::Report& report) {
  details["run_queue_delay_s"] = report.run_queue_delay_s;
  details["involuntary_switches"] = report.involuntary_switches;
  details["major_faults"] = report.major_faults;
  details["connection_hold_mean_ms"] = report.connection_hold_mean_ms;
  details["lock_waiting_mean"] = report.lock_waiting_mean;
  details["accept_queue_mean"] = report.accept_queue_mean;
  details["accept_overflows"] = report.accept_overflows;
  details["loop_lag_mean_ms"] = report.loop_lag_mean_ms;
  details["loop_lag_max_ms"] = report.loop_lag_max_ms;
  const bool loops = report.loop_lag_mean_ms.has_value();
  const py::object by = report.pinned_by.empty() ? py::object(py::none()) : py::str(report.pinned_by);
  const auto ok = static_cast<double>(report.ledger.ok);
  details["pinned_ms_per_request"] = loops || ok == 0 ? py::object(py::none()) : py::float_(report.pinned_ms / ok);
  details["pinned_by"] = loops ? py::object(py::none()) : by;
  details["loop_stalled_ms"] = loops ? py::object(py::float_(report.pinned_ms)) : py::none();
  details["loop_stalled_by"] = loops ? by : py::object(py::none());
}

/// The requests that were not ok, which no response time above counts. A timed-out one is known to have taken at least
/// what it has waited.
void add_failed(py::dict& details, const run::Report& report) {
  py::dict failed;
  failed["count"] = report.failed.count;
  failed["mean_ms"] = report.failed.mean_ms;
  failed["p50_ms"] = report.failed.p50_ms;
  failed["p99_ms"] = report.failed.p99_ms;
  failed["max_ms"] = report.failed.max_ms;
  details["failed_response"] = failed;
  details["failed_mean_ms"] = report.failed.mean_ms;
  details["response_min_ms"] = report.response.min_ms;
}

py::dict details_of(const run::Report& report) {
  py::dict d;
  d["answers_model_counted"] = report.answers_model;
  d["answers_received_counted"] = report.answers_received;
  d["answers_checked"] = report.answers_checked;
  d["answers_wrong"] = report.ledger.failures[static_cast<std::size_t>(ErrorCode::wrong_answer)];
  d["late_answers"] = report.late_answers;
  d["abandoned_in_model"] = report.abandoned;
  d["requests_timed"] = report.ledger.ok;
  d["phases_of"] = report.phases_of;
  d["in_flight_mean"] = report.in_flight_mean;
  d["lateness_p99_ms"] = report.lateness_p99_ms;
  d["generator_cpu_share"] = report.generator_cpu_share;
  d["process_cpu_share"] = report.process_cpu_share;
  d["host_cpu_share"] = report.host_cpu_share;
  d["host_steal_share"] = report.host_steal_share;
  d["cpus"] = report.cpus;
  d["connections_in_use_mean"] = report.connections_in_use_mean;
  d["connections_waiting_mean"] = report.connections_waiting_mean;
  d["queue_depth_mean"] = report.queue_depth_mean;
  d["database_queries"] = report.database_reads;
  d["database_queries_expected"] = report.database_reads_expected;
  d["database_rows"] = report.database_rows;
  d["database_rows_expected"] = report.database_rows_expected;
  // When the waiter was told, unless the kernel has told of nearly all: on TCP it notes when it received the answer.
  constexpr double kNearlyAll = 0.99;
  d["database_result_time"] = report.results_stamped_share >= kNearlyAll ? "kernel" : "told";
  d["rounds"] = report.rounds;
  d["steals"] = report.steals;
  d["guard_mode"] = report.guard_mode;
  d["clock_errors"] = report.clock_errors;
  d["slowest_phases_ms"] = phases(report.slowest_phases_ms);
  d["slowest_request_phases_ms"] = phases(report.slowest_request_phases_ms);
  py::dict texts;
  for (const auto& [cause, text] : report.error_texts) texts[py::str(cause)] = text;
  d["error_texts"] = texts;
  add_holding(d, report);
  add_failed(d, report);
  add_http(d, report);
  py::dict histogram;
  histogram["unit"] = "ns";
  histogram["overflow"] = report.histogram_overflow;
  histogram["counts"] = report.histogram;
  d["histogram"] = histogram;
  return d;
}

py::list timeline_of(const run::Report& report) {
  py::list rows;
  for (const auto& row : report.timeline) {
    const auto& s = row.sample;
    const auto thread = [&](io::ThreadState state) { return s.model.threads[static_cast<std::size_t>(state)]; };
    const auto waiting = [&](io::WaitReason reason) {
      return s.model.requests_waiting[static_cast<std::size_t>(reason)];
    };
    py::dict d;
    d["t_s"] = row.t_s;
    d["in_flight"] = s.in_flight;
    d["queue_depth"] = s.model.queued;
    d["threads_on_io"] = thread(io::ThreadState::on_io);
    d["threads_on_connection"] = thread(io::ThreadState::on_connection);
    d["threads_on_app_wait"] = thread(io::ThreadState::on_app_wait);
    d["threads_pinned"] = thread(io::ThreadState::pinned);
    d["threads_on_cpu"] = thread(io::ThreadState::on_cpu);
    d["threads_idle"] = thread(io::ThreadState::idle);
    d["threads_blocked"] = thread(io::ThreadState::on_io) + thread(io::ThreadState::on_connection) +
                           thread(io::ThreadState::on_app_wait) + thread(io::ThreadState::pinned);
    d["requests_waiting"] =
        waiting(io::WaitReason::io) + waiting(io::WaitReason::connection) + waiting(io::WaitReason::app_wait);
    d["connections_in_use"] = s.pool.in_use;
    d["connections_waiting"] = s.pool.waiting;
    d["rss_mib"] = row.rss_mib;
    d["cpu_s"] = row.cpu_s;
    d["threads"] = row.threads;
    d["throughput_rps"] = row.throughput_rps;
    rows.append(d);
  }
  return rows;
}

}  // namespace

py::dict report_to_dict(const run::Report& report) {
  py::dict dict;
  dict["status"] = report.status;
  dict["duration_s"] = report.duration_s;
  dict["offered_rps"] = report.offered_rps;
  dict["throughput_rps"] = report.throughput_rps;
  add_times(dict, report);
  add_threads(dict, report);
  dict["rss_baseline_mib"] = report.rss_baseline_mib;
  dict["rss_peak_mib"] = report.rss_peak_mib;
  dict["cpu_s"] = report.cpu_s;
  dict["cpu"] = cpu_of(report);
  dict["context_switches"] = report.context_switches;
  dict["ledger"] = ledger_of(report.ledger);
  dict["failures"] = failures_of(report.ledger);
  dict["phases_ms"] = phases(report.phases_ms);
  dict["details"] = details_of(report);
  dict["timeline"] = timeline_of(report);
  return dict;
}

}  // namespace parkbench
