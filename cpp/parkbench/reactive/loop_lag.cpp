#include "parkbench/reactive/loop_lag.hpp"

#include "parkbench/reactive/event_loop.hpp"

namespace parkbench::reactive {

void LoopLag::start() { set(loop_.clock().now() + kEvery); }

void LoopLag::set(Ns due) {
  loop_.timers().schedule_at(due, [this, due] { look(due); });
}

void LoopLag::look(Ns due) {
  const Ns now = loop_.clock().now();
  std::uint64_t looks = looks_.load(std::memory_order_relaxed);
  Ns sum = sum_.load(std::memory_order_relaxed);
  Ns most = most_.load(std::memory_order_relaxed);
  while (now - due > most && !most_.compare_exchange_weak(most, now - due, std::memory_order_relaxed)) {
  }
  for (; due <= now; due += kEvery) {
    ++looks;
    sum += now - due;
  }
  looks_.store(looks, std::memory_order_relaxed);
  sum_.store(sum, std::memory_order_relaxed);
  set(due);
}

LoopLag::Seen LoopLag::seen() const {
  return {looks_.load(std::memory_order_relaxed), sum_.load(std::memory_order_relaxed),
          most_.load(std::memory_order_relaxed)};
}

}  // namespace parkbench::reactive
