#pragma once

#include <functional>

#include "parkbench/reactive/scalar.hpp"
#include "parkbench/reactive/subscription_slot.hpp"

namespace parkbench::reactive {

/// zip: both values through a function. An empty side makes the result empty, a failed side makes it fail; either way
/// the other side is cancelled.
template <class A, class B, class R, class F>
class Zip final : public Node<Publisher<R>> {
 public:
  Zip(Ref<Publisher<A>> left, Ref<Publisher<B>> right, F f)
      : left_(std::move(left)), right_(std::move(right)), f_(std::move(f)) {}

  void subscribe(Ref<Subscriber<R>> downstream) noexcept override {
    make_ref<Stage>(Ref<Zip>(this), std::move(downstream))->start();
  }

 private:
  class Stage;

  /// One input; its value waits here for the other.
  template <class T>
  class Side final : public Part<Stage, Subscriber<T>> {
   public:
    using Part<Stage, Subscriber<T>>::Part;
    void on_subscribe(Subscription& subscription) noexcept override {
      if (upstream_.set(subscription)) subscription.request(kUnbounded);
    }
    void on_next(T&& value) noexcept override {
      if (value_) return;
      upstream_.finish();
      value_.emplace(std::move(value));
      this->whole_.arrived();
    }
    void on_error(Error error) noexcept override {
      upstream_.finish();
      this->whole_.fail(std::move(error));
    }
    void on_complete() noexcept override {
      upstream_.finish();
      if (!has_value_signalled()) this->whole_.complete();
    }

    SubscriptionSlot upstream_;
    std::optional<T> value_;

   private:
    // A moved-from value still counts: the optional is only emptied by its destructor.
    bool has_value_signalled() const { return value_.has_value(); }
  };

  class Stage final : public Scalar<R> {
   public:
    Stage(Ref<Zip> zip, Ref<Subscriber<R>> downstream) : Scalar<R>(std::move(downstream)), zip_(std::move(zip)) {}

    void start() {
      this->announce();
      if (!this->ended()) zip_->left_->subscribe(Ref<Subscriber<A>>(&left_));
      if (!this->ended()) zip_->right_->subscribe(Ref<Subscriber<B>>(&right_));
    }
    void arrived() {
      if (arrived_.fetch_add(1, std::memory_order_acq_rel) == 0 || this->ended()) return;
      try {
        this->emit(std::invoke(zip_->f_, std::move(*left_.value_), std::move(*right_.value_)));
      } catch (...) {
        this->fail(error_of_exception());
      }
    }
    using Scalar<R>::fail;
    using Scalar<R>::complete;

   private:
    void let_go(bool) noexcept override {
      left_.upstream_.cancel();
      right_.upstream_.cancel();
    }

    const Ref<Zip> zip_;  // keeps the function
    Side<A> left_{*this};
    Side<B> right_{*this};
    std::atomic<int> arrived_{0};
  };

  const Ref<Publisher<A>> left_;
  const Ref<Publisher<B>> right_;
  F f_;
};

}  // namespace parkbench::reactive
