#pragma once

#include <memory>
#include <optional>

#include "parkbench/run/control.hpp"
#include "parkbench/run/sampler.hpp"
#include "parkbench/run/scenario.hpp"
#include "parkbench/server/options.hpp"
#include "parkbench/server/server.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::run {

/// The server's process of a run over HTTP, or a server run by hand: the scenario's model behind a port.
class ServerRun final : private Controlled {
 public:
  /// Opens the database connections, listens. @param control_fd socket to the run, owned; negative: by hand.
  /// @throws Failure with one sentence.
  ServerRun(const Scenario& scenario, const server::ServerOptions& listen, int control_fd);
  /// As stop(), and waits for it; nothing waits for a database connection any more.
  ~ServerRun() override;

  std::uint16_t port() const { return server_->port(); }
  /// @return true when it is over: the run is done or gone, or what stop() began is finished.
  bool wait(Ns timeout) { return control_->wait(timeout); }
  /// Begins to stop: nothing new is taken, what is in flight is answered. Returns at once.
  void stop();
  /// Ends at once: waiting requests fail.
  void cancel();

 private:
  Ready ready() override;
  void window_opened(Ns at) override;
  void window_closed() override;
  ServerEvidence finish(std::uint64_t responses) override;
  Edge edge() const;
  Sample look() const;
  void wait_for_count(std::uint64_t responses) const;

  const Clock& clock_;
  workload::Resources resources_;
  std::unique_ptr<server::Server> server_;
  std::optional<Sampler> sampler_;
  ServerFacts facts_;
  std::atomic<bool> stopping_{false};
  Thread stopper_;
  std::optional<Control> control_;  // last: its thread uses the others
};

}  // namespace parkbench::run
