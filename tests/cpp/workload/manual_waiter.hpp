#pragma once

#include <vector>

#include "parkbench/io/waiter.hpp"
#include "parkbench/workload/options.hpp"

namespace parkbench::workload::testing {

/// Waits on a clock that it moves itself: a sleep takes exactly as long as it is to, plus `late` until it is noticed.
class ManualWaiter final : public io::Waiter {
 public:
  explicit ManualWaiter(ManualClock& clock, Ns late = 0) : clock_(clock), late_(late) {}

  const Clock& clock() const override { return clock_; }
  io::Woken wait_ready(io::IoSource&, io::Interest, Deadline) override { return {}; }
  io::Woken sleep_until(Ns when, io::WaitReason reason) override {
    reasons.push_back(reason);
    clock_.set(when + late_);
    return {.timed_out = false, .told = when, .running = when + late_};
  }
  io::Woken park(Deadline deadline, io::WaitReason) override {
    clock_.set(deadline.when());
    return {.timed_out = true, .told = deadline.when(), .running = deadline.when()};
  }
  io::Unparker unparker() override {
    return {[](void*) {}, nullptr};
  }

  std::vector<io::WaitReason> reasons;

 private:
  ManualClock& clock_;
  const Ns late_;
};

/// The options of a workload that needs no database.
inline Options without_database(Kind kind) {
  Options options;
  options.kind = kind;
  return options;
}

}  // namespace parkbench::workload::testing
