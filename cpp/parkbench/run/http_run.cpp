#include "parkbench/run/http_run.hpp"

#include <algorithm>

#include "parkbench/run/request_plan.hpp"

namespace parkbench::run {

HttpRun::HttpRun(const Scenario& scenario, const std::atomic<bool>& cancelled)
    : scenario_(scenario),
      clock_(SteadyClock::instance()),
      database_(scenario, [&cancelled] { return cancelled.load(); }),
      server_("server process", scenario.server_fd) {
  if (scenario.downstream_fd >= 0) downstream_.emplace("downstream process", scenario.downstream_fd);
}

void HttpRun::set_up() {
  ready_ = server_.hello();
  if (downstream_) downstream_->hello();
  auto expected = database_.open();
  const auto plan = request_plan(scenario_, "127.0.0.1", ready_.port);
  exchange_.emplace(plan, static_cast<std::uint32_t>(scenario_.load.users), clock_);
  exchange_->watch_peer(server_.fd(), [this] { peer_gone(server_.gone()); });
  if (downstream_) exchange_->watch_peer(downstream_->fd(), [this] { peer_gone(downstream_->gone()); });
  generator_.emplace(scenario_.load, *exchange_, clock_, static_cast<load::WindowObserver&>(*this),
                     std::move(expected));
  sampler_.emplace(clock_, [this] {
    const auto progress = generator_->progress();
    Sample sample;
    sample.ok = progress.ok;
    sample.in_flight = progress.in_flight;
    return sample;
  });
}

void HttpRun::peer_gone(const std::string& why) {
  if (gone_.empty()) gone_ = why;
  generator_->cancel();
}

void HttpRun::window_opened() {
  cpu_opened_ = measure::read_process_usage().cpu;
  const Ns now = clock_.now();
  try {
    if (downstream_) downstream_->window_opened(now);
    server_.window_opened(now);
  } catch (const Failure& failure) {
    peer_gone(failure.what());
  }
}

void HttpRun::window_closed() {
  cpu_closed_ = measure::read_process_usage().cpu;
  if (cpu_opened_ == 0) cpu_opened_ = cpu_closed_;  // cancelled during the warm-up
  try {
    if (downstream_) downstream_->window_closed();
    server_.window_closed();
  } catch (const Failure& failure) {
    peer_gone(failure.what());
  }
}

Report HttpRun::evaluate() {
  sampler_->stop();
  if (!gone_.empty()) throw Failure(ErrorCode::none, gone_);
  load::LoadResult result = generator_->result();
  result.ledger.in_flight_at_end = result.outstanding;
  ServerEvidence evidence = server_.finish(exchange_->counters().responses);
  ServerFacts& facts = evidence.facts;
  if (facts.opened.at == 0) facts.opened = facts.closed;  // cancelled during the warm-up
  const auto seen = sampler_->looks();
  add_generators_view(evidence.looks, seen);
  add_generators_view(evidence.full, seen);

  Report report = make_report({.load = result,
                               .opened = facts.opened,
                               .closed = facts.closed,
                               .looks = evidence.looks,
                               .full = evidence.full,
                               .model_at_end = facts.model,
                               .harness_threads = facts.harness_threads,
                               .rss_baseline = ready_.resident_bytes,
                               .generator_cpu = cpu_closed_ - cpu_opened_});
  report.guard_mode = facts.guard_mode.data();
  report.error_texts = std::move(evidence.error_texts);
  for (const auto& [code, text] : exchange_->error_texts()) report.error_texts.emplace_back(to_string(code), text);
  cross_check(report, facts.server);
  const load::HttpCounters& client = exchange_->counters();
  report.http = {ready_.port, client.connects, client.reconnects, facts.server, {}};
  if (downstream_) report.downstream_cpu_s = cpu_seconds(downstream_->finish(0).facts);
  add_servers_view(report, facts);
  database_.close(report, facts.table_reads, facts.table_rows);
  report.status = status_of(report, result);
  return report;
}

/// Of a request that went out and was given up, the generator cannot know whether it was answered: the server's count
/// is right as long as it lies between what was received and that with all of those.
void HttpRun::cross_check(Report& report, const server::ServerCounters& server) const {
  const load::HttpCounters& client = exchange_->counters();
  report.answers_model = static_cast<std::int64_t>(server.requests);
  report.answers_received =
      std::clamp<std::uint64_t>(server.requests, client.responses, client.responses + client.unanswered);
}

void add_servers_view(Report& report, const ServerFacts& facts) {
  if (facts.run_queue_delay >= 0) {
    report.run_queue_delay_s = static_cast<double>(facts.run_queue_delay) / static_cast<double>(kSecond);
  }
  Report::Http& http = *report.http;
  for (std::size_t cause = 0; cause < kErrorCodes; ++cause) {
    const std::uint64_t count = facts.errors_closed[cause] - facts.errors_opened[cause];
    if (count > 0) http.server_failures.emplace_back(to_string(static_cast<ErrorCode>(cause)), count);
  }
}

void add_generators_view(std::vector<Sample>& samples, const std::vector<Sample>& seen) {
  for (Sample& sample : samples) {
    const auto after =
        std::upper_bound(seen.begin(), seen.end(), sample.at, [](Ns at, const Sample& s) { return at < s.at; });
    if (after == seen.begin()) continue;
    sample.ok = std::prev(after)->ok;
    sample.in_flight = std::prev(after)->in_flight;
  }
}

}  // namespace parkbench::run
