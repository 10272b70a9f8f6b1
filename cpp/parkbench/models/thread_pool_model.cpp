#include "parkbench/models/thread_pool_model.hpp"

#include <new>

#include "parkbench/models/thread_counts.hpp"
#include "parkbench/workload/run_blocking.hpp"

namespace parkbench::models {

using measure::Request;

ThreadPoolModel::ThreadPoolModel(thread_pool::ThreadPoolOptions options, workload::Resources& resources, Books& books)
    : resources_(resources), books_(books), pool_(std::move(options)) {}

bool ThreadPoolModel::submit(std::span<Request* const> batch) {
  const Ns now = resources_.clock.now();
  tasks_.clear();
  for (Request* request : batch) {
    if (!books_.accept(*request, now)) {
      books_.refuse(*request, now);
      continue;
    }
    auto& record = *new (request->model_record.data()) Record{*this, *request};
    tasks_.push_back({[](void* argument, io::Waiter& waiter) {
                        auto& mine = *static_cast<Record*>(argument);
                        mine.model.execute(mine.request, waiter);
                      },
                      &record});
  }
  const auto [taken, held_back] = pool_.submit(tasks_);
  for (std::size_t i = taken; i < tasks_.size(); ++i) {
    // The queue is full: accepted by the books, refused by the pool.
    auto& request = static_cast<Record*>(tasks_[i].argument)->request;
    request.fail(ErrorCode::rejected);
    request.answer_ready = now;
    books_.begin();
    books_.answer(request);
  }
  return held_back;
}

void ThreadPoolModel::execute(Request& request, io::Waiter& waiter) {
  books_.begin();
  workload::run_blocking(resources_, request, waiter);
  books_.answer(request);
}

Counters ThreadPoolModel::counters() const {
  Counters counters;
  add_workers(counters, pool_);
  books_.report(counters);
  return counters;
}

std::vector<int> ThreadPoolModel::thread_ids() const {
  std::vector<int> ids;
  for (int worker = 0; worker < pool_.workers(); ++worker) ids.push_back(pool_.state(worker).thread_id.load());
  return ids;
}

}  // namespace parkbench::models
