#pragma once

#include "parkbench/models/books.hpp"
#include "parkbench/models/model.hpp"
#include "parkbench/reactive/loop_group.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::models {

/// Each request a Mono, subscribed to on one of a few event loops that never block.
class ReactiveModel final : public Model {
 public:
  ReactiveModel(int loops, workload::Resources& resources, Books& books);

  bool submit(std::span<measure::Request* const> batch) override;
  Counters counters() const override;
  void begin_window() override;
  std::vector<int> thread_ids() const override;
  void stop() override;

 private:
  struct Start;
  void subscribe(measure::Request& request);
  void fail(measure::Request& request, const Error& error);
  void finish(measure::Request& request);

  workload::Resources& resources_;
  Books& books_;
  std::vector<reactive::Task*> tasks_;  // of the batch being submitted
  mutable reactive::LoopGroup loops_;
};

}  // namespace parkbench::models
