#pragma once

#include <optional>
#include <string>

#include "parkbench/load/http_exchange.hpp"
#include "parkbench/run/database_account.hpp"
#include "parkbench/run/execution.hpp"
#include "parkbench/run/peer.hpp"
#include "parkbench/run/sampler.hpp"
#include "parkbench/run/scenario.hpp"

namespace parkbench::run {

/// Transport http: the generator in this process, the model behind a port of another one, which is what is measured.
class HttpRun final : public Execution, private load::WindowObserver {
 public:
  /// @param scenario and cancelled must outlive the run.
  HttpRun(const Scenario& scenario, const std::atomic<bool>& cancelled);

  void set_up() override;
  load::Generator& generator() override { return *generator_; }
  /// Its connections belong to the server, which ends them when it is told that the run is over.
  void fail_waiting() override {}
  Report evaluate() override;

 private:
  void window_opened() override;
  void window_closed() override;
  void peer_gone(const std::string& why);
  void cross_check(Report& report, const server::ServerCounters& server) const;

  const Scenario& scenario_;
  const Clock& clock_;
  DatabaseAccount database_;
  Peer server_;
  std::optional<Peer> downstream_;
  Ready ready_;
  std::optional<load::HttpExchange> exchange_;
  std::optional<load::Generator> generator_;
  std::optional<Sampler> sampler_;
  std::string gone_;  // why there is nobody to ask any more; written and read by the run's thread
  Ns cpu_opened_ = 0;
  Ns cpu_closed_ = 0;
};

/// What only the server can know: its threads' delay in the run queue, its failures by cause.
void add_servers_view(Report& report, const ServerFacts& facts);
/// What the generator saw goes into the server's samples, by time: `ok` and `in_flight`.
void add_generators_view(std::vector<Sample>& samples, const std::vector<Sample>& seen);

}  // namespace parkbench::run
