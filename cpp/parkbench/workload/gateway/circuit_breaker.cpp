#include "parkbench/workload/gateway/circuit_breaker.hpp"

#include <algorithm>

namespace parkbench::workload::gateway {

std::optional<CircuitBreaker::Ticket> CircuitBreaker::admit(Ns now) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::open) {
    if (now - opened_at_ < kOpenFor) return std::nullopt;
    enter(State::half_open);
  }
  if (state_ == State::half_open) {
    if (trials_ == kTrials) return std::nullopt;
    ++trials_;
  }
  return period_;
}

void CircuitBreaker::report(Ticket ticket, Verdict verdict, Ns now) {
  const std::lock_guard lock(mutex_);
  if (ticket != period_) return;
  if (verdict == Verdict::unknown) {
    if (state_ == State::half_open) --trials_;
    return;
  }
  const bool bad = verdict == Verdict::bad;
  if (calls_ == kWindow && bad_[next_]) --failures_;
  bad_[next_] = bad;
  next_ = (next_ + 1) % kWindow;
  calls_ = std::min(calls_ + 1, kWindow);
  if (bad) ++failures_;
  judge(now);
}

void CircuitBreaker::judge(Ns now) {
  const bool fails = failures_ * 2 >= calls_;
  if (state_ == State::closed && calls_ >= kLeast && fails) {
    enter(State::open);
    opened_at_ = now;
  } else if (state_ == State::half_open && calls_ == kTrials) {
    enter(fails ? State::open : State::closed);
    opened_at_ = now;
  }
}

void CircuitBreaker::enter(State state) {
  state_ = state;
  ++period_;
  trials_ = calls_ = next_ = failures_ = 0;
}

CircuitBreaker::State CircuitBreaker::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace parkbench::workload::gateway
