#pragma once

#include <memory>
#include <optional>

#include "parkbench/load/direct_exchange.hpp"
#include "parkbench/models/books.hpp"
#include "parkbench/run/database_account.hpp"
#include "parkbench/run/execution.hpp"
#include "parkbench/run/peer.hpp"
#include "parkbench/run/sampler.hpp"
#include "parkbench/run/scenario.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::run {

/// Transport direct: the model in this process, requests handed to it by the generator's thread.
class DirectRun final : public Execution, private load::WindowObserver {
 public:
  /// @param scenario and cancelled must outlive the run.
  DirectRun(const Scenario& scenario, const std::atomic<bool>& cancelled);
  ~DirectRun() override;

  void set_up() override;
  load::Generator& generator() override { return *generator_; }
  void fail_waiting() override;
  Report evaluate() override;

 private:
  /// Answers go from the model straight into the generator's queue.
  struct ToGenerator final : models::AnswerSink {
    void answer(measure::Request& request) override { queue.push(request); }
    load::AnswerQueue queue;
  };
  /// The generator sees a model as something that takes requests.
  struct ToModel final : load::Target {
    explicit ToModel(models::Model& m) : model(m) {}
    bool submit(std::span<measure::Request* const> batch) override { return model.submit(batch); }
    models::Model& model;
  };

  void window_opened() override;
  void window_closed() override;
  Edge edge() const;
  Sample look() const;

  const Scenario& scenario_;
  const Clock& clock_;
  ToGenerator sink_;
  models::Books books_;
  workload::Resources resources_;
  DatabaseAccount database_;
  std::optional<Peer> downstream_;
  std::unique_ptr<models::Model> model_;
  std::optional<ToModel> target_;
  std::optional<load::DirectExchange> exchange_;
  std::optional<load::Generator> generator_;
  std::optional<Sampler> sampler_;
  Edge opened_;
  Edge closed_;
  int harness_threads_ = 0;
  std::int64_t rss_baseline_ = 0;
};

}  // namespace parkbench::run
