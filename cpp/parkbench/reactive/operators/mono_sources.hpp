#pragma once

#include <atomic>

#include "parkbench/reactive/operators/publisher_from.hpp"
#include "parkbench/reactive/scalar.hpp"
#include "parkbench/reactive/subscription_slot.hpp"

namespace parkbench::reactive {

/// just: one value, given to each subscriber as a copy; a type that only moves goes to the first and later ones get an
/// error.
template <class T>
class Just final : public Node<Publisher<T>> {
 public:
  explicit Just(T value) : value_(std::move(value)) {}

  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    if constexpr (std::is_copy_constructible_v<T>) {
      start(std::move(downstream), T(value_));
    } else if (!taken_.exchange(true, std::memory_order_acq_rel)) {
      start(std::move(downstream), std::move(value_));
    } else {
      downstream->on_subscribe(NoSubscription::instance());
      downstream->on_error({ErrorCode::internal, "just: the value only moves and an earlier subscriber took it"});
    }
  }

 private:
  class Run final : public Scalar<T> {
   public:
    Run(Ref<Subscriber<T>> downstream, T value) : Scalar<T>(std::move(downstream), std::move(value)) {}
    using Scalar<T>::announce;
  };
  static void start(Ref<Subscriber<T>> downstream, T value) {
    make_ref<Run>(std::move(downstream), std::move(value))->announce();
  }

  T value_;
  std::atomic<bool> taken_{false};
};

/// error: the same error for each subscriber.
template <class T>
class Fail final : public Node<Publisher<T>> {
 public:
  explicit Fail(Error error) : error_(std::move(error)) {}
  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    downstream->on_subscribe(NoSubscription::instance());
    downstream->on_error(error_);
  }

 private:
  const Error error_;
};

/// empty: completes at once, without being asked for anything.
template <class T>
class Empty final : public Node<Publisher<T>> {
 public:
  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    downstream->on_subscribe(NoSubscription::instance());
    downstream->on_complete();
  }
};

/// defer: asks the function for a Mono at each subscription.
template <class T, class F>
class Defer final : public Node<Publisher<T>> {
 public:
  explicit Defer(F f) : f_(std::move(f)) {}
  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    Error error;
    const Ref<Publisher<T>> made = publisher_from<T>(error, f_);
    if (made) return made->subscribe(std::move(downstream));
    downstream->on_subscribe(NoSubscription::instance());
    downstream->on_error(std::move(error));
  }

 private:
  F f_;
};

}  // namespace parkbench::reactive
