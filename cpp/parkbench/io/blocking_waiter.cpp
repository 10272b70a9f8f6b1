#include "parkbench/io/blocking_waiter.hpp"

#include <poll.h>

#include <ctime>

namespace parkbench::io {
namespace {

timespec to_timespec(Ns t) { return {static_cast<time_t>(t / kSecond), static_cast<long>(t % kSecond)}; }

/// Says for its lifetime what the thread waits for.
class Blocked {
 public:
  Blocked(ThreadStateCell& cell, WaitGauge& gauge, WaitReason reason) : cell_(cell), gauge_(gauge), reason_(reason) {
    gauge_.begin(reason_);
    cell_.set(blocked_on(reason_));
  }
  ~Blocked() {
    cell_.set(ThreadState::on_cpu);
    gauge_.end(reason_);
  }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;

 private:
  ThreadStateCell& cell_;
  WaitGauge& gauge_;
  WaitReason reason_;
};

}  // namespace

Woken BlockingWaiter::wait_ready(IoSource& source, Interest interest, Deadline deadline) {
  const Blocked blocked(cell_, gauge_, WaitReason::io);
  pollfd entry{source.fd(), static_cast<short>(interest == Interest::read ? POLLIN : POLLOUT), 0};
  int ready = 0;
  if (deadline.is_never()) {
    ready = ppoll(&entry, 1, nullptr, nullptr);
  } else {
    const timespec left = to_timespec(deadline.left(clock_.now()));
    ready = ppoll(&entry, 1, &left, nullptr);
  }
  const Ns now = clock_.now();
  return {.timed_out = ready == 0 && deadline.passed(now), .told = now, .running = now};
}

Woken BlockingWaiter::sleep_until(Ns when, WaitReason reason) {
  const Blocked blocked(cell_, gauge_, reason);
  const timespec until = to_timespec(when);
  // Not early: an interrupted sleep goes on.
  while (clock_.now() < when) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  return {.timed_out = false, .told = when, .running = clock_.now()};
}

Woken BlockingWaiter::park(Deadline deadline, WaitReason reason) {
  const Blocked blocked(cell_, gauge_, reason);
  const bool permit = parker_.park(clock_, deadline);
  const Ns now = clock_.now();
  return {.timed_out = !permit, .told = now, .running = now};
}

Unparker BlockingWaiter::unparker() {
  return {[](void* parker) { static_cast<Parker*>(parker)->unpark(); }, &parker_};
}

}  // namespace parkbench::io
