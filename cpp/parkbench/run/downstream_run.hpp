#pragma once

#include <optional>

#include "parkbench/run/control.hpp"
#include "parkbench/run/scenario.hpp"
#include "parkbench/server/downstream_server.hpp"
#include "parkbench/server/options.hpp"

namespace parkbench::run {

/// The downstream's process of a run, or a downstream run by hand: answers after the scenario's delay.
class DownstreamRun final : private Controlled {
 public:
  /// @param control_fd socket to the run, owned; negative: by hand.
  /// @throws Failure with one sentence.
  DownstreamRun(const Scenario& scenario, const server::ServerOptions& listen, int control_fd);
  ~DownstreamRun() override;

  std::uint16_t port() const { return server_.port(); }
  /// @return true when it is over, as ServerRun::wait.
  bool wait(Ns timeout) { return control_->wait(timeout); }
  /// Begins to stop gracefully; returns at once.
  void stop();
  void cancel() { control_->end(); }

 private:
  Ready ready() override;
  void window_opened(Ns at) override;
  void window_closed() override;
  ServerEvidence finish(std::uint64_t responses) override;
  Edge edge() const;

  const Clock& clock_;
  server::DownstreamServer server_;
  ServerFacts facts_;
  std::atomic<bool> stopping_{false};
  Thread stopper_;
  std::optional<Control> control_;  // last: its thread uses the others
};

}  // namespace parkbench::run
