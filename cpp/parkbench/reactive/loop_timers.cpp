#include "parkbench/reactive/loop_timers.hpp"

#include <limits>

#include "parkbench/reactive/callback.hpp"
#include "parkbench/reactive/event_loop.hpp"

namespace parkbench::reactive {

// As between a server's sleeps: 5,000 that end together would else all be answered before the first new request is
// read, and so stay together for ever, each 2 % late.
constexpr int kTimersPerTurn = 32;

/// Posted to the loop at most twice and never at the same time: to be armed, and to be taken out after a cancel.
struct LoopTimers::Entry final : Node<Subscription>, TimerNode, Task {
  enum class State : std::uint8_t {
    arming,  // on its way to the loop
    armed,   // in the heap
    over,    // called, cancelled or dropped
  };

  Entry(LoopTimers& timers, Ns at, UniqueFunction<void()> f) : timers_(timers), f_(std::move(f)) { due = at; }

  void request(std::int64_t) noexcept override {}
  void cancel() noexcept override {
    State seen = state_.load(std::memory_order_acquire);
    while (seen != State::over && !state_.compare_exchange_weak(seen, State::over, std::memory_order_acq_rel)) {
    }
    if (seen != State::armed) return;  // one on its way is dropped when it gets there
    if (timers_.loop_.is_current()) return take_out();
    retain();
    if (!timers_.loop_.post(*this)) release();
  }
  /// Arrives at the loop.
  void run() override {
    const auto self = Ref<Entry>::adopt(this);
    State seen = State::arming;
    if (!state_.compare_exchange_strong(seen, State::armed, std::memory_order_acq_rel)) return take_out();
    timers_.queue_.arm(*Ref<Entry>(this).leak(), due);
  }
  /// On the loop's thread: ends its part in the heap. What f holds may cancel this very timer, hence the order.
  void take_out() {
    const auto self = Ref<Entry>(this);
    const UniqueFunction<void()> dropped = std::move(f_);
    if (timers_.queue_.cancel(*this)) release();
  }
  bool fire() {
    State seen = State::armed;
    return state_.compare_exchange_strong(seen, State::over, std::memory_order_acq_rel);
  }

  LoopTimers& timers_;
  UniqueFunction<void()> f_;
  std::atomic<State> state_{State::arming};
};

TimerHandle LoopTimers::schedule_at(Ns due, UniqueFunction<void()> f) {
  auto entry = make_ref<Entry>(*this, due, std::move(f));
  Entry* raw = Ref<Entry>(entry).leak();
  if (loop_.is_current()) {
    raw->run();
  } else if (!loop_.post(*raw)) {
    raw->state_.store(Entry::State::over, std::memory_order_release);
    raw->f_ = {};
    raw->release();
  }
  return TimerHandle(std::move(entry));
}

void LoopTimers::run_due() {
  if (queue_.size() == 0) return;
  const Ns now = clock_.now();
  for (int called = 0; called < kTimersPerTurn; ++called) {
    TimerNode* node = queue_.pop_due(now);
    if (node == nullptr) return;
    const auto entry = Ref<Entry>::adopt(static_cast<Entry*>(node));
    UniqueFunction<void()> f = std::move(entry->f_);
    if (!entry->fire()) continue;
    try {
      f();
    } catch (...) {
      drop_error(error_of_exception());
    }
  }
}

void LoopTimers::drop_all() {
  while (TimerNode* node = queue_.pop_due(std::numeric_limits<Ns>::max())) {
    const auto entry = Ref<Entry>::adopt(static_cast<Entry*>(node));
    entry->fire();
    const UniqueFunction<void()> dropped = std::move(entry->f_);
  }
}

}  // namespace parkbench::reactive
