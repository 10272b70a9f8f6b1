#include "parkbench/virtual_threads/timers.hpp"

namespace parkbench::virtual_threads {

void Timers::arm(VirtualThread& thread, Ns due, bool sleeps) {
  thread.timer.sleeps = sleeps;
  thread.timer.timed_out = false;
  queue_.arm(thread.timer, due);
  note_next();
  if (due < poller_wakes_at_) {
    poller_wakes_at_ = due;
    poller_.wake();
  }
}

bool Timers::park(VirtualThread& thread, Ns due) {
  const std::lock_guard lock(mutex_);
  if (!thread.publish_parked()) {
    thread.timer.timed_out = false;
    return false;
  }
  arm(thread, due, false);
  return true;
}

void Timers::sleep(VirtualThread& thread, Ns due) {
  const std::lock_guard lock(mutex_);
  arm(thread, due, true);
}

bool Timers::end_park(VirtualThread& thread) {
  const std::lock_guard lock(mutex_);
  if (queue_.cancel(thread.timer)) note_next();
  return thread.timer.timed_out;
}

void Timers::fire(Ns now, std::vector<VirtualThread*>& woken) {
  const std::lock_guard lock(mutex_);
  while (TimerNode* node = queue_.pop_due(now)) {
    auto& timer = *static_cast<VirtualThread::Timer*>(node);
    if (timer.sleeps) {
      woken.push_back(&timer.thread);
    } else if (timer.thread.notify_if_parked()) {
      timer.timed_out = true;
      woken.push_back(&timer.thread);
    }
  }
  note_next();
}

Ns Timers::begin_wait() {
  const std::lock_guard lock(mutex_);
  poller_wakes_at_ = queue_.next().when();
  return poller_wakes_at_;
}

void Timers::end_wait() {
  const std::lock_guard lock(mutex_);
  poller_wakes_at_ = kNobodyWaits;
}

}  // namespace parkbench::virtual_threads
