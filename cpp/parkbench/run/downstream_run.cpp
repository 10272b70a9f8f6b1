#include "parkbench/run/downstream_run.hpp"

#include "parkbench/base/thread.hpp"

namespace parkbench::run {

DownstreamRun::DownstreamRun(const Scenario& scenario, const server::ServerOptions& listen, int control_fd)
    : clock_(SteadyClock::instance()), server_(listen, scenario.workload.gateway.delay, usable_cpus(), clock_) {
  control_.emplace(control_fd, static_cast<Controlled&>(*this));
}

DownstreamRun::~DownstreamRun() {
  stop();
  stopper_.join();
}

void DownstreamRun::stop() {
  if (stopping_.exchange(true)) return;
  stopper_ = Thread("stop", [this] {
    server_.stop();
    control_->end();
  });
}

Ready DownstreamRun::ready() { return {measure::read_process_usage().resident_bytes, server_.port()}; }

void DownstreamRun::window_opened(Ns at) {
  server_.window_opened(at);
  facts_.opened = edge();
}

void DownstreamRun::window_closed() { facts_.closed = edge(); }

ServerEvidence DownstreamRun::finish(std::uint64_t /*responses*/) {
  facts_.server.requests = server_.requests();
  facts_.server.connections = server_.connections();
  ServerEvidence evidence;
  evidence.facts = facts_;
  return evidence;
}

Edge DownstreamRun::edge() const {
  Edge edge;
  edge.at = clock_.now();
  edge.process = measure::read_process_usage();
  edge.generator = measure::read_thread_usage();
  return edge;
}

}  // namespace parkbench::run
