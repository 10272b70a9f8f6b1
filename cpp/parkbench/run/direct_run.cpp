#include "parkbench/run/direct_run.hpp"

#include <algorithm>

#include "parkbench/measure/kernel_counters.hpp"
#include "parkbench/run/make_model.hpp"

namespace parkbench::run {
namespace {

constexpr Ns kConnectWithin = 15 * kSecond;

double seconds_of(Ns length) { return static_cast<double>(length) / static_cast<double>(kSecond); }

}  // namespace

DirectRun::DirectRun(const Scenario& scenario, const std::atomic<bool>& cancelled)
    : scenario_(scenario),
      clock_(SteadyClock::instance()),
      books_(sink_, scenario.limit),
      resources_(scenario.workload, clock_),
      database_(scenario, [&cancelled] { return cancelled.load(); }) {
  if (scenario.downstream_fd >= 0) downstream_.emplace("downstream process", scenario.downstream_fd);
}

DirectRun::~DirectRun() {
  if (!model_) return;
  if (sampler_) sampler_->stop();
  fail_waiting();
  model_->stop();
}

void DirectRun::set_up() {
  auto expected = database_.open();
  resources_.connect(Deadline::at(clock_.now() + kConnectWithin));
  if (downstream_) downstream_->hello();
  harness_threads_ = measure::read_process_usage().threads + 1;  // and the sampler
  model_ = make_model(scenario_, resources_, books_);
  target_.emplace(*model_);
  const bool all_timed = !resources_.pool || !resources_.pool->receive_times();
  exchange_.emplace(*target_, sink_.queue, all_timed);
  generator_.emplace(scenario_.load, *exchange_, clock_, static_cast<load::WindowObserver&>(*this),
                     std::move(expected));
  if (scenario_.drop_answers > 0) books_.drop_answers(scenario_.drop_answers);
  sampler_.emplace(
      clock_, [this] { return look(); }, [this] { return measure::read_run_queue_delay(model_->thread_ids()); });
  rss_baseline_ = measure::read_process_usage().resident_bytes;
}

void DirectRun::fail_waiting() { resources_.close(); }

Sample DirectRun::look() const {
  Sample sample;
  sample.model = model_->counters();
  if (resources_.pool) sample.pool = resources_.pool->counters();
  sample.lock_waiting = resources_.lock_waiting.load(std::memory_order_relaxed);
  const auto progress = generator_->progress();
  sample.ok = progress.ok;
  sample.in_flight = progress.in_flight;
  return sample;
}

Edge DirectRun::edge() const {
  Edge edge;
  edge.at = clock_.now();
  edge.process = measure::read_process_usage();
  edge.generator = measure::read_thread_usage();
  edge.sampler = sampler_->own_usage();
  edge.host = measure::read_host_cpu();
  edge.sample = look();
  edge.sample.at = edge.at;
  edge.sample.process = edge.process;
  return edge;
}

void DirectRun::window_opened() {
  model_->begin_window();
  opened_ = edge();
  sampler_->mark_edge();
  resources_.window_opened.store(opened_.at);
  if (downstream_) downstream_->window_opened(opened_.at);
}

void DirectRun::window_closed() {
  closed_ = edge();
  sampler_->mark_edge();
  if (opened_.at == 0) opened_ = closed_;  // cancelled during the warm-up
  if (downstream_) downstream_->window_closed();
}

Report DirectRun::evaluate() {
  sampler_->stop();
  const models::Counters at_end = model_->counters();
  load::LoadResult result = generator_->result();
  // The model's own count of what it still holds, without what the generator has written off as timed out.
  const std::int64_t held = at_end.accepted_counted - at_end.answered_counted;
  result.ledger.in_flight_at_end =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, held - static_cast<std::int64_t>(result.abandoned)));
  const auto looks = sampler_->looks();
  const auto full = sampler_->full();
  Report report = make_report({.load = result,
                               .opened = opened_,
                               .closed = closed_,
                               .looks = looks,
                               .full = full,
                               .model_at_end = at_end,
                               .harness_threads = harness_threads_,
                               .rss_baseline = rss_baseline_,
                               .generator_cpu = closed_.generator.cpu - opened_.generator.cpu});
  report.guard_mode = std::string(model_->guard_mode());
  for (std::size_t cause = 0; cause < kErrorCodes; ++cause) {
    const auto code = static_cast<ErrorCode>(cause);
    if (const auto text = resources_.errors.text(code); !text.empty()) {
      report.error_texts.emplace_back(to_string(code), text);
    }
  }
  if (downstream_) report.downstream_cpu_s = cpu_seconds(downstream_->finish(0).facts);
  fail_waiting();
  if (const auto delay = sampler_->run_queue_delay(closed_.at - opened_.at))
    report.run_queue_delay_s = seconds_of(*delay);
  database_.close(report, resources_.table_reads.load(), resources_.table_rows.load());
  report.status = status_of(report, result);
  return report;
}

}  // namespace parkbench::run
