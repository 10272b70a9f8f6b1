#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "parkbench/base/parker.hpp"
#include "parkbench/models/books.hpp"
#include "parkbench/models/reactive_model.hpp"
#include "parkbench/models/thread_pool_model.hpp"
#include "parkbench/models/virtual_threads_model.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::models::testing {

/// Collects answers and lets a test wait for them.
class Collector final : public AnswerSink {
 public:
  void answer(measure::Request& request) override {
    const std::lock_guard lock(mutex_);
    answered_.push_back(&request);
    changed_.notify_all();
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answered_.size() >= count; });
  }
  std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return answered_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<measure::Request*> answered_;
};

/// One of the three models, by name, over a workload; small enough that tests reach its limits.
struct Setting {
  Setting(const std::string& name, workload::Options options, std::optional<std::int64_t> limit = {})
      : resources(std::move(options), SteadyClock::instance()), books(collector, limit) {
    resources.connect(Deadline::at(resources.clock.now() + 20 * kSecond));
    if (name == "thread_pool") {
      model = std::make_unique<ThreadPoolModel>(thread_pool::ThreadPoolOptions{.workers = 8, .queue = 100'000},
                                                resources, books);
    } else if (name == "virtual_threads") {
      model = std::make_unique<VirtualThreadsModel>(virtual_threads::SchedulerOptions{.carriers = 2, .uncaught = {}},
                                                    resources, books);
    } else {
      model = std::make_unique<ReactiveModel>(2, resources, books);
    }
  }
  ~Setting() {
    if (resources.pool) resources.pool->close();
    model->stop();
  }

  /// Submits n requests in batches of 50, products from 1 on.
  void submit(std::size_t n, bool counted = true) {
    std::vector<measure::Request*> batch;
    for (std::size_t i = 0; i < n; ++i) {
      measure::Request& request = requests.emplace_back();
      request.product = static_cast<std::uint32_t>(i % resources.options.products + 1);
      request.counted = counted;
      request.due = request.sent = resources.clock.now();
      request.deadline = patience;
      batch.push_back(&request);
      if (batch.size() == 50 || i + 1 == n) {
        model->submit(batch);
        batch.clear();
      }
    }
  }

  workload::Resources resources;
  Collector collector;
  Books books;
  Deadline patience = Deadline::never();
  std::deque<measure::Request> requests;
  std::unique_ptr<Model> model;
};

class EveryModel : public ::testing::TestWithParam<std::string> {};

inline const auto kModels = ::testing::Values("thread_pool", "virtual_threads", "reactive");
inline std::string model_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace parkbench::models::testing
