#pragma once

#include "parkbench/models/books.hpp"
#include "parkbench/models/model.hpp"
#include "parkbench/virtual_threads/parking_waiter.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::models {

/// Each request a virtual thread of its own, which parks while it waits.
class VirtualThreadsModel final : public Model {
 public:
  VirtualThreadsModel(virtual_threads::SchedulerOptions options, workload::Resources& resources, Books& books);

  bool submit(std::span<measure::Request* const> batch) override;
  Counters counters() const override;
  std::vector<int> thread_ids() const override;
  void stop() override { scheduler_.stop(); }

  std::string_view guard_mode() const override { return scheduler_.guard_mode(); }

 private:
  struct Record {
    VirtualThreadsModel& model;
    measure::Request& request;
  };
  static void enter(void* record);

  workload::Resources& resources_;
  Books& books_;
  std::vector<void*> arguments_;  // of the batch being submitted
  virtual_threads::Scheduler scheduler_;
  virtual_threads::ParkingWaiter waiter_;
};

}  // namespace parkbench::models
