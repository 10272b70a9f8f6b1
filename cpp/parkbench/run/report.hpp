#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parkbench/io/thread_state.hpp"
#include "parkbench/load/load_result.hpp"
#include "parkbench/run/evidence.hpp"

namespace parkbench::run {

/// Response times in milliseconds; a quantile that too few samples carry is empty (10 samples beyond it are needed:
/// 20 for p50, 100 for p90, 1,000 for p99).
struct Times {
  std::optional<double> mean_ms;
  std::optional<double> p50_ms;
  std::optional<double> p90_ms;
  std::optional<double> p99_ms;
  std::optional<double> max_ms;
  std::optional<double> min_ms;
  std::uint64_t count = 0;
};
Times times_of(const measure::LatencyHistogram& histogram);

/// What a run leaves behind. Means are over the window.
struct Report {
  std::string status = "ok";  // ok, too_short, incomplete, or "failed: WHY"
  double duration_s = 0;
  double throughput_rps = 0;
  double offered_rps = 0;
  Times response;
  Times from_send;
  Times failed;  // requests that were not ok, from their due time; a timed-out one counts with what it has waited
  std::optional<double> lateness_p99_ms;
  std::array<double, measure::kPhases> phases_ms{};
  std::array<double, measure::kPhases> slowest_phases_ms{};  // mean of the requests at and above p99 that were kept
  std::array<double, measure::kPhases> slowest_request_phases_ms{};  // of the slowest ok request
  measure::Ledger ledger;
  std::vector<std::pair<std::string, std::string>> error_texts;  // cause, first text

  std::array<double, io::kThreadStates> threads_by_state{};
  double threads_blocked_mean = 0;
  double threads_blocked_max = 0;
  double threads_mean = 0;
  int threads_peak = 0;
  double requests_waiting_mean = 0;
  double queue_depth_mean = 0;
  double connections_in_use_mean = 0;
  double connections_waiting_mean = 0;
  double in_flight_mean = 0;
  double lock_waiting_mean = 0;
  std::optional<double>
      connection_hold_mean_ms;             // how long a lease of the database pool was held; empty without leases
  double results_stamped_share = 0;        // of the statements: answered at a time that the kernel has told
  std::optional<double> loop_lag_mean_ms;  // reactive
  std::optional<double> loop_lag_max_ms;
  double pinned_ms = 0;                          // carriers and loops held by blocking sections, all together
  std::string pinned_by;                         // the section that held them longest; empty: none did
  std::optional<double> accept_queue_mean;       // of a server
  std::optional<std::int64_t> accept_overflows;  // of all listeners of the machine or container

  double rss_baseline_mib = 0;
  double rss_peak_mib = 0;
  double cpu_s = 0;  // of the model's process
  double generator_cpu_s = 0;
  std::optional<double> downstream_cpu_s;  // where one serves in a process of its own
  std::uint64_t context_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t major_faults = 0;
  std::optional<double> run_queue_delay_s;  // the model's threads were runnable without running, all together
  double generator_cpu_share = 0;           // of one core
  double process_cpu_share = 0;             // of all usable CPUs, generator and sampler taken off
  double host_cpu_share = 0;
  double host_steal_share = 0;
  int cpus = 1;

  // What the model says it answered, what the generator received: of counted requests; over http of all requests, those
  // included that were given up after they had gone out and that the server says it answered.
  std::int64_t answers_model = 0;
  std::uint64_t answers_received = 0;
  std::uint64_t answers_checked = 0;  // compared with what was expected, well or not
  std::uint64_t late_answers = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t rounds = 0;
  std::uint64_t clock_errors = 0;
  std::uint64_t histogram_overflow = 0;
  std::optional<std::int64_t> database_reads;  // of the two tables, by the server's own counters; empty: not available
  std::uint64_t database_reads_expected = 0;
  std::optional<std::int64_t> database_rows;  // empty as well when the server scanned whole tables
  std::uint64_t database_rows_expected = 0;
  std::uint64_t steals = 0;
  std::string guard_mode;
  std::uint64_t phases_of = 0;  // ok requests whose phases are known

  struct Http {
    std::uint16_t port = 0;
    std::uint64_t connects = 0;
    std::uint64_t reconnects = 0;
    server::ServerCounters server;
    std::vector<std::pair<std::string, std::uint64_t>> server_failures;  // in the window, by cause
  };
  std::optional<Http> http;
  std::vector<std::pair<Ns, std::uint64_t>> histogram;

  struct TimelineRow {
    double t_s = 0;
    Sample sample;
    double throughput_rps = 0;
    double cpu_s = 0;
    double rss_mib = 0;
    int threads = 0;
  };
  std::vector<TimelineRow> timeline;
};

/// Everything that is known at the end of a run.
struct Evidence {
  const load::LoadResult& load;
  const Edge& opened;
  const Edge& closed;
  const std::vector<Sample>& looks;
  const std::vector<Sample>& full;
  models::Counters model_at_end;
  int harness_threads = 0;  // of the process, but not of the model
  std::int64_t rss_baseline = 0;
  Ns generator_cpu = 0;  // in the window
};

/// Computes the figures; status, texts and the database counters are the run's own business.
Report make_report(const Evidence& evidence);

}  // namespace parkbench::run
