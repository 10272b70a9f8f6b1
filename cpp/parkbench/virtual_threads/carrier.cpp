#include "parkbench/virtual_threads/carrier.hpp"

#include <algorithm>

#include "parkbench/base/thread.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"

namespace parkbench::virtual_threads {

void Carrier::run() {
  set_this_carrier(this);
  place_ = ThreadStatePlace::of_this_thread();
  context_.adopt_thread();
  scheduler_.carrier_ready(*this, current_thread_id());
  for (;;) {
    if (++switches_ % kSwitchesPerPoll == 0) {
      wake_due();
      scheduler_.poll_if_nobody_does();
    }
    Runnable next;
    if (queue_.pop(next)) {
      begin_work();
      execute(next);
    } else if (!find_work() && !sleep()) {
      break;
    }
  }
}

void Carrier::begin_work() {
  if (shown_idle_) {
    shown_idle_ = false;
    scheduler_.cells()[index_].set(io::ThreadState::on_cpu);
  }
  if (!searches) return;
  searches = false;
  scheduler_.idle().stop_searching();
  if (scheduler_.has_work_for(*this)) scheduler_.wake_searcher();
}

void Carrier::execute(Runnable next) {
  VirtualThread* thread = nullptr;
  if (next.is_started()) {
    thread = &next.thread();
  } else {
    thread = take_free();
    if (thread == nullptr) {  // reported; there is no memory for a stack
      count_finished();
      return;
    }
    thread->begin(next.entry, next.argument);
  }
  thread->set_home(index_);
  running_.store(thread, std::memory_order_relaxed);
  const VirtualThread::Leave why = thread->run(context_, place_);
  running_.store(nullptr, std::memory_order_relaxed);
  settle(*thread, why);
}

// Only here, off the thread's stack, does it become visible to those who may run it: earlier two carriers could.
void Carrier::settle(VirtualThread& thread, VirtualThread::Leave why) {
  switch (why) {
    case VirtualThread::Leave::yield:
      if (queue_.push(Runnable::started(thread)) > 1) scheduler_.wake_searcher();
      break;
    case VirtualThread::Leave::park: {
      const Deadline wake_at = thread.wake_at();
      const bool parked =
          wake_at.is_never() ? thread.publish_parked() : scheduler_.timers().park(thread, wake_at.when());
      if (!parked) queue_.push(Runnable::started(thread));
      break;
    }
    case VirtualThread::Leave::sleep:
      scheduler_.timers().sleep(thread, thread.wake_at().when());
      break;
    case VirtualThread::Leave::finish:
      put_free(thread);
      break;
  }
}

bool Carrier::find_work() {
  if (steal()) return true;
  wake_due();
  return queue_.size_hint() > 0;
}

bool Carrier::steal() {
  if (scheduler_.stealing() == Stealing::off) return false;
  const auto which = scheduler_.stealable();
  const auto carriers = static_cast<std::uint32_t>(scheduler_.carriers());
  for (std::uint32_t tries = 1; tries < carriers; ++tries) {
    victim_ = (victim_ + 1) % carriers;
    if (victim_ == index_) victim_ = (victim_ + 1) % carriers;
    Carrier& victim = scheduler_.carrier(victim_);
    if (victim.queue_.size_hint() == 0) continue;
    const RunQueue::Taken taken = victim.queue_.take_half(queue_, which);
    if (taken.all() == 0) continue;
    steals_of_started_.fetch_add(taken.started, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void Carrier::wake_due() {
  Timers& timers = scheduler_.timers();
  if (Deadline::at(timers.next()).is_never()) return;  // saves the clock
  const Ns now = scheduler_.clock().now();
  if (timers.next() > now) return;
  due_.clear();
  timers.fire(now, due_);
  for (VirtualThread* thread : due_) scheduler_.enqueue(*thread);
}

void Carrier::wake() {
  if (polls_.load()) {
    scheduler_.poller().wake();
  } else {
    signal_.set();
  }
}

bool Carrier::sleep() {
  const bool polls = scheduler_.begin_polling();
  polls_.store(polls);
  if (!shown_idle_) {
    shown_idle_ = true;
    scheduler_.cells()[index_].set(io::ThreadState::idle);
  }
  IdleSet& idle = scheduler_.idle();
  idle.enter(*this);
  const bool over = scheduler_.is_over();
  if (!over && !scheduler_.has_work_for(*this)) {
    if (polls) {
      scheduler_.poll_until_timer();
    } else {
      sleep_on_signal();
    }
  }
  idle.leave(*this);
  polls_.store(false);
  if (polls) scheduler_.end_polling();
  if (over) scheduler_.wake_all();
  return !over;
}

// When the poller leaves with work nobody polls, and waking another carrier for that each time would cost a futex call
// per event. So one sleeper looks up now and then: each millisecond while there are events, seldom in quiet times.
void Carrier::sleep_on_signal() {
  if (scheduler_.live() == 0 || !scheduler_.begin_lookout()) {
    signal_.wait(-1);
    return;
  }
  const std::uint64_t epoch = scheduler_.poll_epoch();
  const bool woken = signal_.wait(lookout_);
  lookout_ = epoch == scheduler_.poll_epoch() ? std::min(2 * lookout_, kLongestLookout) : kLookout;
  scheduler_.end_lookout();
  if (woken) scheduler_.wake_searcher();  // somebody else must look out
}

VirtualThread* Carrier::take_free() {
  if (free_ == nullptr) {
    free_ = scheduler_.more_free(free_count_);
    if (free_ == nullptr) return nullptr;
  }
  VirtualThread* taken = free_;
  free_ = taken->next;
  --free_count_;
  return taken;
}

void Carrier::put_free(VirtualThread& thread) {
  if (free_count_ >= kFreeKept) {  // they were started elsewhere: let others have them
    scheduler_.give_free(free_, free_count_);
    free_ = nullptr;
    free_count_ = 0;
  }
  thread.next = free_;
  free_ = &thread;
  ++free_count_;
}

}  // namespace parkbench::virtual_threads
