#pragma once

#include "parkbench/io/waiter.hpp"

namespace parkbench::virtual_threads {

class Scheduler;

/// Waits by parking the virtual thread that calls: its carrier goes on with others. It keeps nothing, so one may serve
/// all virtual threads of a scheduler or live on the stack of each. unparker() is for the thread that asks for it.
///
/// One virtual thread may wait for a descriptor's direction at a time.
class ParkingWaiter final : public io::Waiter {
 public:
  explicit ParkingWaiter(Scheduler& scheduler) : scheduler_(scheduler) {}

  const Clock& clock() const override;
  io::Woken wait_ready(io::IoSource& source, io::Interest interest, Deadline deadline) override;
  io::Woken sleep_until(Ns when, io::WaitReason reason) override;
  io::Woken park(Deadline deadline, io::WaitReason reason) override;
  io::Unparker unparker() override;

 private:
  Scheduler& scheduler_;
};

}  // namespace parkbench::virtual_threads
