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
  /// What a wait is counted as in the scheduler's gauges: a request that waits, or nothing (a server's connection that
  /// has no request).
  enum class Counts : bool { no, yes };
  explicit ParkingWaiter(Scheduler& scheduler, Counts counts = Counts::yes) : scheduler_(scheduler), counts_(counts) {}

  const Clock& clock() const override;
  io::Woken wait_ready(io::IoSource& source, io::Interest interest, Deadline deadline) override;
  io::Woken sleep_until(Ns when, io::WaitReason reason) override;
  io::Woken park(Deadline deadline, io::WaitReason reason) override;
  io::Unparker unparker() override;

 private:
  Scheduler& scheduler_;
  const Counts counts_;
};

}  // namespace parkbench::virtual_threads
