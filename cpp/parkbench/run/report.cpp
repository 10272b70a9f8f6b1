#include "parkbench/run/report.hpp"

#include <algorithm>
#include <numeric>

#include "parkbench/base/thread.hpp"

namespace parkbench::run {
namespace {

constexpr double kMib = 1024.0 * 1024.0;

double ms(double ns) { return ns / static_cast<double>(kMillisecond); }
double seconds(Ns ns) { return static_cast<double>(ns) / static_cast<double>(kSecond); }
double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::optional<double> carried_quantile(const measure::LatencyHistogram& h, double q) {
  constexpr double kBeyond = 10;
  // The rounding guards 1,000 * (1 - 0.99), which is a little under 10.
  if (static_cast<double>(h.count()) * (1 - q) < kBeyond - 1e-6) return std::nullopt;
  return ms(static_cast<double>(h.quantile(q)));
}

double blocked(const models::Counters& c) {
  using io::ThreadState;
  const auto of = [&](ThreadState s) { return c.threads[static_cast<std::size_t>(s)]; };
  return static_cast<double>(of(ThreadState::on_io) + of(ThreadState::on_connection) + of(ThreadState::on_app_wait) +
                             of(ThreadState::pinned));
}

double waiting(const models::Counters& c) {
  return static_cast<double>(std::accumulate(c.requests_waiting.begin(), c.requests_waiting.end(), std::int64_t{0}));
}

/// Samples of the window, its edges included, so that even a short window has some.
std::vector<Sample> of_window(const std::vector<Sample>& samples, const Edge& opened, const Edge& closed) {
  std::vector<Sample> inside{opened.sample};
  for (const Sample& s : samples) {
    if (s.at > opened.at && s.at < closed.at) inside.push_back(s);
  }
  inside.push_back(closed.sample);
  return inside;
}

template <class F>
double mean(const std::vector<Sample>& samples, F figure) {
  double sum = 0;
  for (const Sample& s : samples) sum += static_cast<double>(figure(s));
  return ratio(sum, static_cast<double>(samples.size()));
}

void count_threads(Report& report, const std::vector<Sample>& looks, const std::vector<Sample>& full, int harness) {
  for (std::size_t state = 0; state < io::kThreadStates; ++state) {
    report.threads_by_state[state] = mean(looks, [&](const Sample& s) { return s.model.threads[state]; });
  }
  report.threads_blocked_mean = mean(looks, [](const Sample& s) { return blocked(s.model); });
  for (const Sample& s : looks) report.threads_blocked_max = std::max(report.threads_blocked_max, blocked(s.model));
  for (const Sample& s : full) report.threads_peak = std::max(report.threads_peak, s.process.threads - harness);
  report.threads_mean = mean(full, [&](const Sample& s) { return s.process.threads - harness; });
  report.requests_waiting_mean = mean(looks, [](const Sample& s) { return waiting(s.model); });
  report.queue_depth_mean = mean(looks, [](const Sample& s) { return s.model.queued; });
  report.connections_in_use_mean = mean(looks, [](const Sample& s) { return s.pool.in_use; });
  report.connections_waiting_mean = mean(looks, [](const Sample& s) { return s.pool.waiting; });
  report.lock_waiting_mean = mean(looks, [](const Sample& s) { return s.lock_waiting; });
}

/// How long connections were held, loops late, carriers pinned: sums at the edges.
void count_holding(Report& report, const Sample& opened, const Sample& closed) {
  const auto leases = static_cast<double>(closed.pool.released - opened.pool.released);
  if (leases > 0) {
    report.connection_hold_mean_ms = ms(static_cast<double>(closed.pool.held - opened.pool.held) / leases);
  }
  const auto stamped = static_cast<double>(closed.pool.results_stamped - opened.pool.results_stamped);
  const auto told = static_cast<double>(closed.pool.results_told - opened.pool.results_told);
  report.results_stamped_share = ratio(stamped, stamped + told);
  const auto looks = static_cast<double>(closed.model.loop_looks - opened.model.loop_looks);
  if (looks > 0) {
    report.loop_lag_mean_ms = ms(static_cast<double>(closed.model.loop_lag_sum - opened.model.loop_lag_sum) / looks);
    report.loop_lag_max_ms = ms(static_cast<double>(closed.model.loop_lag_most));
  }
  Ns longest = 0;
  for (std::size_t section = 0; section < workload::kPinSections; ++section) {
    const Ns held = closed.model.pinned[section] - opened.model.pinned[section];
    report.pinned_ms += ms(static_cast<double>(held));
    if (held <= longest) continue;
    longest = held;
    report.pinned_by = to_string(static_cast<workload::PinSection>(section));
  }
}

void count_resources(Report& report, const Evidence& e, const std::vector<Sample>& full) {
  const Edge& opened = e.opened;
  const Edge& closed = e.closed;
  const Ns harness = closed.generator.cpu - opened.generator.cpu;
  const Ns sampler = closed.sampler.cpu - opened.sampler.cpu;
  report.cpu_s = std::max(0.0, seconds(closed.process.cpu - opened.process.cpu - harness - sampler));
  const auto all = closed.process.context_switches - opened.process.context_switches;
  const auto ours = closed.generator.context_switches - opened.generator.context_switches +
                    closed.sampler.context_switches - opened.sampler.context_switches;
  report.context_switches = all > ours ? all - ours : 0;
  const auto pushed = closed.process.involuntary_switches - opened.process.involuntary_switches;
  const auto pushed_ours = closed.generator.involuntary_switches - opened.generator.involuntary_switches +
                           closed.sampler.involuntary_switches - opened.sampler.involuntary_switches;
  report.involuntary_switches = pushed > pushed_ours ? pushed - pushed_ours : 0;
  report.major_faults = closed.process.major_faults - opened.process.major_faults;
  if (opened.listen_overflows >= 0 && closed.listen_overflows >= 0) {
    report.accept_overflows = closed.listen_overflows - opened.listen_overflows;
    report.accept_queue_mean = mean(of_window(e.looks, opened, closed), [](const Sample& s) { return s.accept_queue; });
  }
  const double length = seconds(closed.at - opened.at);
  report.cpus = usable_cpus();
  report.generator_cpu_s = seconds(e.generator_cpu);
  report.generator_cpu_share = ratio(report.generator_cpu_s, report.duration_s);
  report.process_cpu_share = ratio(report.cpu_s, length * report.cpus);
  const auto total = static_cast<double>(closed.host.total - opened.host.total);
  report.host_cpu_share = ratio(static_cast<double>(closed.host.busy - opened.host.busy), total);
  report.host_steal_share = ratio(static_cast<double>(closed.host.steal - opened.host.steal), total);
  std::int64_t peak = 0;
  for (const Sample& s : full) peak = std::max(peak, s.process.resident_bytes);
  report.rss_peak_mib = static_cast<double>(peak) / kMib;
}

void split_phases(Report& report, const load::LoadResult& load) {
  const auto ok = static_cast<double>(load.response.count());
  if (ok == 0) return;
  // What only some requests told is carried over to all by the ratio of their from-send times: those that told may have
  // been a little faster or slower than the rest. Where all have told, the ratio is 1.
  const double timed_from_send = ratio(static_cast<double>(load.timed_from_send), static_cast<double>(load.timed));
  const double to_all = ratio(load.from_send.mean(), timed_from_send);
  double explained = 0;
  for (std::size_t i = 0; i < measure::kPhases; ++i) {
    const bool own = i < static_cast<std::size_t>(measure::Phase::network);
    const auto sum = static_cast<double>(load.phases[i]);
    report.phases_ms[i] = ms(own ? sum / ok : ratio(sum, static_cast<double>(load.timed)) * to_all);
    explained += report.phases_ms[i];
  }
  constexpr auto kUnexplained = static_cast<std::size_t>(measure::Phase::unexplained);
  report.phases_ms[kUnexplained] = ms(load.response.mean()) - explained;

  const Ns p99 = load.response.quantile(0.99);
  double slow = 0;
  Ns slowest = -1;
  for (const auto& sample : load.samples.slowest()) {
    if (sample.response > slowest) {
      slowest = sample.response;
      for (std::size_t i = 0; i < measure::kPhases; ++i) {
        report.slowest_request_phases_ms[i] = ms(static_cast<double>(sample.phases[i]));
      }
    }
    if (sample.response < p99) continue;
    ++slow;
    for (std::size_t i = 0; i < measure::kPhases; ++i) {
      report.slowest_phases_ms[i] += ms(static_cast<double>(sample.phases[i]));
    }
  }
  for (double& phase : report.slowest_phases_ms) phase = ratio(phase, slow);
}

void add_timeline(Report& report, const Evidence& e) {
  const Sample* before = nullptr;
  for (const Sample& s : e.full) {
    if (s.at > e.closed.at) break;
    Report::TimelineRow row;
    row.t_s = seconds(s.at - e.opened.at);
    row.sample = s;
    if (before != nullptr)
      row.throughput_rps = ratio(static_cast<double>(s.ok - before->ok), seconds(s.at - before->at));
    row.cpu_s = seconds(s.process.cpu);
    row.rss_mib = static_cast<double>(s.process.resident_bytes) / kMib;
    row.threads = s.process.threads - e.harness_threads;
    report.timeline.push_back(row);
    before = &s;
  }
}

}  // namespace

Times times_of(const measure::LatencyHistogram& h) {
  if (h.count() == 0) return {};
  return {ms(h.mean()),
          carried_quantile(h, 0.5),
          carried_quantile(h, 0.9),
          carried_quantile(h, 0.99),
          ms(static_cast<double>(h.max())),
          ms(static_cast<double>(h.min())),
          h.count()};
}

Report make_report(const Evidence& e) {
  const load::LoadResult& load = e.load;
  Report report;
  report.duration_s = seconds(load.closed - load.opened);
  report.throughput_rps = ratio(static_cast<double>(load.ledger.ok), report.duration_s);
  report.offered_rps = ratio(static_cast<double>(load.ledger.scheduled), report.duration_s);
  report.response = times_of(load.response);
  report.from_send = times_of(load.from_send);
  report.failed = times_of(load.failed_response);
  report.lateness_p99_ms = carried_quantile(load.lateness, 0.99);
  report.in_flight_mean = ratio(load.in_flight_integral, report.duration_s);
  report.ledger = load.ledger;
  report.answers_model = e.model_at_end.answered_counted;
  report.answers_received = load.answers;
  report.answers_checked = load.checked;
  report.late_answers = load.late_answers;
  report.abandoned = load.abandoned;
  report.phases_of = load.timed;
  report.rounds = load.rounds;
  report.clock_errors = load.response.clock_errors();
  report.histogram_overflow = load.response.overflow();
  report.histogram = load.response.buckets();
  report.rss_baseline_mib = static_cast<double>(e.rss_baseline) / kMib;
  report.steals = e.model_at_end.steals;

  const auto full = of_window(e.full, e.opened, e.closed);
  count_threads(report, of_window(e.looks, e.opened, e.closed), full, e.harness_threads);
  count_resources(report, e, full);
  count_holding(report, e.opened.sample, e.closed.sample);
  split_phases(report, load);
  add_timeline(report, e);
  return report;
}

}  // namespace parkbench::run
