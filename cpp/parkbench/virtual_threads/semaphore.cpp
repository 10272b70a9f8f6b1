#include "parkbench/virtual_threads/semaphore.hpp"

namespace parkbench::virtual_threads {

void Semaphore::enter(Waiting& waiting) {
  waiting.in_line = true;
  waiting.before = last_;
  (last_ == nullptr ? first_ : last_->after) = &waiting;
  last_ = &waiting;
}

void Semaphore::leave(Waiting& waiting) {
  (waiting.before == nullptr ? first_ : waiting.before->after) = waiting.after;
  (waiting.after == nullptr ? last_ : waiting.after->before) = waiting.before;
  waiting.in_line = false;
}

bool Semaphore::acquire_until(Deadline deadline) {
  if (try_acquire()) return true;
  Waiting waiting;
  {
    const std::lock_guard lock(mutex_);
    if (permits_ > 0) {
      --permits_;
      return true;
    }
    enter(waiting);
  }
  if (waiting.handoff.wait(deadline, clock_)) return true;
  {
    const std::lock_guard lock(mutex_);
    if (waiting.in_line) {
      leave(waiting);
      return false;
    }
  }
  waiting.handoff.wait(Deadline::never(), clock_);  // the permit is on its way
  return true;
}

bool Semaphore::try_acquire() {
  const std::lock_guard lock(mutex_);
  if (permits_ == 0) return false;
  --permits_;
  return true;
}

void Semaphore::release(std::int64_t permits) {
  for (; permits > 0; --permits) {
    Waiting* next = nullptr;
    {
      const std::lock_guard lock(mutex_);
      next = first_;
      if (next == nullptr) {
        permits_ += permits;
        return;
      }
      leave(*next);
    }
    next->handoff.give();
  }
}

}  // namespace parkbench::virtual_threads
