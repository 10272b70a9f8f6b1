#pragma once

#include <atomic>

#include "parkbench/reactive/streams.hpp"

namespace parkbench::reactive {

/// Holds the subscription to what an object listens to; each call may come from any thread.
/// States: empty, holding one, closed for ever. What comes in at the wrong time is cancelled at once (rule 2.5).
class SubscriptionSlot {
 public:
  SubscriptionSlot() = default;
  SubscriptionSlot(const SubscriptionSlot&) = delete;
  SubscriptionSlot& operator=(const SubscriptionSlot&) = delete;
  ~SubscriptionSlot() { finish(); }

  /// Keeps subscription; false (and it is cancelled) when one is held already or the slot is closed.
  bool set(Subscription& subscription) {
    subscription.retain();
    Subscription* empty = nullptr;
    if (held_.compare_exchange_strong(empty, &subscription, std::memory_order_acq_rel)) return true;
    subscription.cancel();
    subscription.release();
    return false;
  }
  /// Lets go of what is held, uncancelled, and can hold another.
  void clear() {
    Subscription* held = held_.load(std::memory_order_acquire);
    while (held != nullptr && held != closed()) {
      if (held_.compare_exchange_weak(held, nullptr, std::memory_order_acq_rel)) return held->release();
    }
  }
  /// Closes; what is held is let go, uncancelled, since it has ended by itself. True for the call that closed.
  bool finish() {
    Subscription* held = held_.exchange(closed(), std::memory_order_acq_rel);
    if (held == closed()) return false;
    if (held != nullptr) held->release();
    return true;
  }
  /// Closes and cancels what is held. True for the call that closed.
  bool cancel() {
    Subscription* held = held_.exchange(closed(), std::memory_order_acq_rel);
    if (held == closed()) return false;
    if (held != nullptr) {
      held->cancel();
      held->release();
    }
    return true;
  }
  bool is_closed() const { return held_.load(std::memory_order_acquire) == closed(); }

 private:
  static Subscription* closed() { return reinterpret_cast<Subscription*>(std::uintptr_t{1}); }
  std::atomic<Subscription*> held_{nullptr};
};

/// The subscription of a source that has nothing to say: demand and cancel have no effect, and it needs no count.
class NoSubscription final : public Subscription {
 public:
  static NoSubscription& instance() {
    static NoSubscription one;
    return one;
  }
  void request(std::int64_t) noexcept override {}
  void cancel() noexcept override {}
  void retain() const noexcept override {}
  void release() const noexcept override {}
};

}  // namespace parkbench::reactive
