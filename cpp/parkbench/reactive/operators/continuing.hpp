#pragma once

#include "parkbench/reactive/scalar.hpp"
#include "parkbench/reactive/subscription_slot.hpp"

namespace parkbench::reactive {

/// Passes the signals of a Mono<T> on to whole, which has upstream_, emit, fail and complete.
template <class Whole, class T>
class Forwarding final : public Part<Whole, Subscriber<T>> {
 public:
  using Part<Whole, Subscriber<T>>::Part;
  void on_subscribe(Subscription& subscription) noexcept override {
    if (this->whole_.upstream_.set(subscription)) subscription.request(kUnbounded);
  }
  void on_next(T&& value) noexcept override {
    this->whole_.upstream_.finish();
    this->whole_.emit(std::move(value));
  }
  void on_error(Error error) noexcept override {
    this->whole_.upstream_.finish();
    this->whole_.fail(std::move(error));
  }
  void on_complete() noexcept override {
    this->whole_.upstream_.finish();
    this->whole_.complete();
  }
};

/// An operator that listens to a first Mono<T> and may then go on with a second one of R, whose signals are the result.
template <class T, class R>
class Continuing : public Scalar<R, Subscriber<T>> {
 public:
  /// Announces itself, then listens to source.
  void start(Publisher<T>& source) {
    this->announce();
    if (!this->ended()) source.subscribe(Ref<Subscriber<T>>(this));
  }
  void on_subscribe(Subscription& subscription) noexcept final {
    if (upstream_.set(subscription)) subscription.request(kUnbounded);
  }

 protected:
  explicit Continuing(Ref<Subscriber<R>> downstream) : Scalar<R, Subscriber<T>>(std::move(downstream)) {}

  void let_go(bool) noexcept final { upstream_.cancel(); }
  void go_on(Publisher<R>& next) {
    upstream_.clear();
    if (!this->ended()) next.subscribe(Ref<Subscriber<R>>(&next_));
  }
  SubscriptionSlot upstream_;  // the first, then the second

 private:
  friend class Forwarding<Continuing, R>;
  Forwarding<Continuing, R> next_{*this};
};

}  // namespace parkbench::reactive
