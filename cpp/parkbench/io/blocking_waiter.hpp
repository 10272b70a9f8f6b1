#pragma once

#include "parkbench/base/parker.hpp"
#include "parkbench/io/thread_state.hpp"
#include "parkbench/io/wait_gauge.hpp"
#include "parkbench/io/waiter.hpp"

namespace parkbench::io {

/// Waits in the kernel: the calling OS thread sleeps. One per thread; must outlive every late unpark.
///
/// The kernel tells nobody but the waiting thread, so `told` equals `running` for a descriptor: what it takes to wake
/// the thread counts as part of the wait.
class BlockingWaiter final : public Waiter {
 public:
  BlockingWaiter(const Clock& clock, ThreadStateCell& cell, WaitGauge& gauge)
      : clock_(clock), cell_(cell), gauge_(gauge) {}

  const Clock& clock() const override { return clock_; }
  Woken wait_ready(IoSource& source, Interest interest, Deadline deadline) override;
  Woken sleep_until(Ns when, WaitReason reason) override;
  Woken park(Deadline deadline, WaitReason reason) override;
  Unparker unparker() override;

 private:
  const Clock& clock_;
  ThreadStateCell& cell_;
  WaitGauge& gauge_;
  Parker parker_;
};

}  // namespace parkbench::io
