#include "parkbench/workload/gateway/fifo_lock.hpp"

#include <atomic>

namespace parkbench::workload::gateway {
namespace {

class ParkedTurn final : public FifoLock::Turn {
 public:
  explicit ParkedTurn(io::Waiter& waiter) : unparker_(waiter.unparker()) {}
  void granted(Ns at) override {
    const io::Unparker unparker = unparker_;
    at_.store(at, std::memory_order_release);  // from here this object may be gone
    unparker.unpark();
  }
  bool told() const { return at() != kNotYet; }
  Ns at() const { return at_.load(std::memory_order_acquire); }

 private:
  static constexpr Ns kNotYet = -1;
  const io::Unparker unparker_;
  std::atomic<Ns> at_{kNotYet};
};

}  // namespace

bool FifoLock::lock_or_wait(Turn& turn) {
  const std::lock_guard lock(mutex_);
  if (!locked_) {
    locked_ = true;
    return true;
  }
  turn.previous_ = last_;
  turn.next_ = nullptr;
  turn.in_line_ = true;
  (last_ == nullptr ? first_ : last_->next_) = &turn;
  last_ = &turn;
  return false;
}

bool FifoLock::cancel(Turn& turn) {
  const std::lock_guard lock(mutex_);
  if (!turn.in_line_) return false;
  unlink(turn);
  return true;
}

void FifoLock::unlock() {
  Turn* next = nullptr;
  {
    const std::lock_guard lock(mutex_);
    next = first_;
    if (next == nullptr) {
      locked_ = false;
      return;
    }
    unlink(*next);
  }
  next->granted(clock_.now());
}

void FifoLock::unlink(Turn& turn) {
  (turn.previous_ == nullptr ? first_ : turn.previous_->next_) = turn.next_;
  (turn.next_ == nullptr ? last_ : turn.next_->previous_) = turn.previous_;
  turn.in_line_ = false;
}

io::Woken FifoLock::lock(io::Waiter& waiter, Deadline deadline) {
  ParkedTurn turn(waiter);
  if (lock_or_wait(turn)) return {};
  io::Woken woken;
  while (!turn.told()) {
    woken = waiter.park(deadline, io::WaitReason::app_wait);
    if (!woken.timed_out || turn.told()) continue;
    if (cancel(turn)) return woken;
    deadline = Deadline::never();  // it is being handed over
  }
  return {.timed_out = false, .told = turn.at(), .running = waiter.clock().now()};
}

}  // namespace parkbench::workload::gateway
