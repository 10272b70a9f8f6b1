#include "parkbench/models/virtual_threads_model.hpp"

#include <new>

#include "parkbench/models/thread_counts.hpp"
#include "parkbench/workload/run_blocking.hpp"

namespace parkbench::models {

using measure::Request;

VirtualThreadsModel::VirtualThreadsModel(virtual_threads::SchedulerOptions options, workload::Resources& resources,
                                         Books& books)
    : resources_(resources), books_(books), scheduler_(std::move(options)), waiter_(scheduler_) {}

bool VirtualThreadsModel::submit(std::span<Request* const> batch) {
  static_assert(sizeof(Record) <= sizeof(Request::model_record));
  const Ns now = resources_.clock.now();
  arguments_.clear();
  for (Request* request : batch) {
    if (books_.accept(*request, now)) {
      arguments_.push_back(new (request->model_record.data()) Record{*this, *request});
    } else {
      books_.refuse(*request, now);
    }
  }
  scheduler_.start_all(enter, arguments_);
  return false;
}

void VirtualThreadsModel::enter(void* record) {
  auto& [model, request] = *static_cast<Record*>(record);
  model.books_.begin();
  workload::run_blocking(model.resources_, request, model.waiter_);
  model.books_.answer(request);
}

Counters VirtualThreadsModel::counters() const {
  Counters counters;
  add_carriers(counters, scheduler_);
  add_pins(counters, resources_);
  books_.report(counters);
  return counters;
}

std::vector<int> VirtualThreadsModel::thread_ids() const {
  std::vector<int> ids;
  for (const auto& cell : scheduler_.cells()) ids.push_back(cell.thread_id.load());
  return ids;
}

}  // namespace parkbench::models
