#include "parkbench/run/server_run.hpp"

#include <algorithm>

#include "parkbench/base/parker.hpp"
#include "parkbench/measure/kernel_counters.hpp"
#include "parkbench/run/make_server.hpp"

namespace parkbench::run {
namespace {

constexpr Ns kConnectWithin = 15 * kSecond;

}  // namespace

ServerRun::ServerRun(const Scenario& scenario, const server::ServerOptions& listen, int control_fd)
    : clock_(SteadyClock::instance()), resources_(scenario.workload, clock_) {
  resources_.connect(Deadline::at(clock_.now() + kConnectWithin));
  const int threads_before = measure::read_process_usage().threads;
  server::ServerOptions planted = listen;
  planted.planted_accept_delay = scenario.planted_accept_delay;
  if (scenario.planted_backlog > 0) planted.backlog = scenario.planted_backlog;
  server_ = make_server(scenario, planted, resources_);
  const std::string_view mode = server_->guard_mode();
  std::copy_n(mode.begin(), std::min(mode.size(), facts_.guard_mode.size() - 1), facts_.guard_mode.begin());
  if (control_fd >= 0) {
    facts_.harness_threads = threads_before + 2;  // sampler and control
    sampler_.emplace(
        clock_, [this] { return look(); }, [this] { return measure::read_run_queue_delay(server_->thread_ids()); });
  }
  control_.emplace(control_fd, static_cast<Controlled&>(*this));
}

ServerRun::~ServerRun() {
  resources_.close();
  stop();
  stopper_.join();
}

void ServerRun::stop() {
  if (stopping_.exchange(true)) return;
  stopper_ = Thread("stop", [this] {
    server_->stop();
    control_->end();
  });
}

void ServerRun::cancel() {
  resources_.close();
  control_->end();
}

Ready ServerRun::ready() { return {measure::read_process_usage().resident_bytes, server_->port()}; }

void ServerRun::window_opened(Ns at) {
  resources_.window_opened.store(at);
  server_->begin_window();
  facts_.opened = edge();
  facts_.errors_opened = resources_.errors.counts();
  sampler_->mark_edge();
}

void ServerRun::window_closed() {
  facts_.closed = edge();
  facts_.errors_closed = resources_.errors.counts();
  sampler_->mark_edge();
}

ServerEvidence ServerRun::finish(std::uint64_t responses) {
  wait_for_count(responses);
  sampler_->stop();
  facts_.model = server_->counters();
  facts_.server = server_->server_counters();
  facts_.table_reads = resources_.table_reads.load();
  facts_.table_rows = resources_.table_rows.load();
  facts_.run_queue_delay = sampler_->run_queue_delay(facts_.closed.at - facts_.opened.at).value_or(-1);
  // The database counts a connection's reads when it ends.
  resources_.close();

  ServerEvidence evidence;
  evidence.facts = facts_;
  for (const Sample& sample : sampler_->looks()) {
    if (sample.at > facts_.opened.at && sample.at < facts_.closed.at) evidence.looks.push_back(sample);
  }
  for (const Sample& sample : sampler_->full()) {
    if (sample.at <= facts_.closed.at) evidence.full.push_back(sample);
  }
  for (std::size_t cause = 0; cause < kErrorCodes; ++cause) {
    const auto code = static_cast<ErrorCode>(cause);
    if (const auto text = resources_.errors.text(code); !text.empty()) {
      evidence.error_texts.emplace_back(to_string(code), text);
    }
  }
  return evidence;
}

/// An answer may be with the run before the thread that wrote it has counted it.
void ServerRun::wait_for_count(std::uint64_t responses) const {
  const Deadline patience = Deadline::at(clock_.now() + kSecond);
  Parker parker;
  while (server_->server_counters().requests < responses && !patience.passed(clock_.now())) {
    parker.park(clock_, Deadline::at(clock_.now() + kMillisecond));
  }
}

Sample ServerRun::look() const {
  Sample sample;
  sample.model = server_->counters();
  if (resources_.pool) sample.pool = resources_.pool->counters();
  sample.lock_waiting = resources_.lock_waiting.load(std::memory_order_relaxed);
  sample.accept_queue = server_->accept_queue();
  return sample;
}

Edge ServerRun::edge() const {
  Edge edge;
  edge.at = clock_.now();
  edge.process = measure::read_process_usage();
  edge.generator = measure::read_thread_usage();
  edge.sampler = sampler_->own_usage();
  edge.host = measure::read_host_cpu();
  if (const auto seen = measure::read_listen_overflows()) edge.listen_overflows = static_cast<std::int64_t>(*seen);
  edge.sample = look();
  edge.sample.at = edge.at;
  edge.sample.process = edge.process;
  return edge;
}

}  // namespace parkbench::run
