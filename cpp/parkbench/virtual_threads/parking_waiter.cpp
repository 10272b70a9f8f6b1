#include "parkbench/virtual_threads/parking_waiter.hpp"

#include "parkbench/virtual_threads/handoff.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"

namespace parkbench::virtual_threads {
namespace {

/// Counts a wait in the gauge of the carrier that the thread is on, at its begin and at its end.
class Counted {
 public:
  Counted(Scheduler& scheduler, ParkingWaiter::Counts counts, io::WaitReason reason)
      : scheduler_(scheduler), counts_(counts == ParkingWaiter::Counts::yes), reason_(reason) {
    if (counts_) gauge().begin(reason_);
  }
  ~Counted() {
    if (counts_) gauge().end(reason_);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  io::WaitGauge& gauge() {
    const Carrier* here = this_carrier();
    return scheduler_.gauges()[here == nullptr ? 0 : here->index()];
  }
  Scheduler& scheduler_;
  bool counts_;
  io::WaitReason reason_;
};

class Readiness final : public io::ReadyWaiter {
 public:
  void on_ready(Ns told) override {
    told_ = told;
    handoff_.give();
  }
  bool wait(Deadline deadline, const Clock& clock) { return handoff_.wait(deadline, clock); }
  Ns told() const { return told_; }

 private:
  Ns told_ = 0;
  Handoff handoff_;
};

}  // namespace

const Clock& ParkingWaiter::clock() const { return scheduler_.clock(); }

io::Woken ParkingWaiter::wait_ready(io::IoSource& source, io::Interest interest, Deadline deadline) {
  io::Watch& watch = source.watch_at(scheduler_.poller());
  Readiness readiness;
  if (watch.wait(interest, readiness)) {
    const Ns now = clock().now();
    return {false, now, now};
  }
  const Counted counted(scheduler_, counts_, io::WaitReason::io);
  if (!readiness.wait(deadline, clock())) {
    if (watch.cancel(interest, readiness)) return {true, deadline.when(), clock().now()};
    readiness.wait(Deadline::never(), clock());  // it is being delivered right now
  }
  return {false, readiness.told(), clock().now()};
}

io::Woken ParkingWaiter::sleep_until(Ns when, io::WaitReason reason) {
  const Counted counted(scheduler_, counts_, reason);
  virtual_threads::sleep_until(when);
  return {false, when, clock().now()};
}

io::Woken ParkingWaiter::park(Deadline deadline, io::WaitReason reason) {
  const Counted counted(scheduler_, counts_, reason);
  const bool timed_out = virtual_threads::park(deadline);
  const Ns now = clock().now();
  return {timed_out, now, now};
}

io::Unparker ParkingWaiter::unparker() {
  return {[](void* target) { unpark(*static_cast<VirtualThread*>(target)); }, current()};
}

}  // namespace parkbench::virtual_threads
