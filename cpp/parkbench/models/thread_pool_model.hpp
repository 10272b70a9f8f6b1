#pragma once

#include <cstddef>

#include "parkbench/models/books.hpp"
#include "parkbench/models/model.hpp"
#include "parkbench/thread_pool/thread_pool.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::models {

/// Each request on a worker of a bounded pool, which blocks while the request waits.
class ThreadPoolModel final : public Model {
 public:
  ThreadPoolModel(thread_pool::ThreadPoolOptions options, workload::Resources& resources, Books& books);

  bool submit(std::span<measure::Request* const> batch) override;
  Counters counters() const override;
  std::vector<int> thread_ids() const override;
  void stop() override { pool_.stop(); }

 private:
  struct Record {
    ThreadPoolModel& model;
    measure::Request& request;
  };
  void execute(measure::Request& request, io::Waiter& waiter);

  workload::Resources& resources_;
  Books& books_;
  std::vector<thread_pool::Task> tasks_;  // of the batch being submitted
  thread_pool::ThreadPool pool_;
};

}  // namespace parkbench::models
