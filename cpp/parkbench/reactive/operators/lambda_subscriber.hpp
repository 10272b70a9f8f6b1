#pragma once

#include "parkbench/reactive/callback.hpp"
#include "parkbench/reactive/disposable.hpp"
#include "parkbench/reactive/streams.hpp"
#include "parkbench/reactive/subscription_slot.hpp"

namespace parkbench::reactive {

/// Stands for an on_error that was not given: the error is dropped, and counted.
struct DropError {
  void operator()(const Error& error) const { drop_error(error); }
};
/// Stands for an on_complete that was not given.
struct IgnoreComplete {
  void operator()() const {}
};

/// The end of a chain: three functions. An exception from on_value cancels and goes to on_error; one from the other two
/// is dropped, since nobody is left to take it.
template <class T, class OnValue, class OnError, class OnComplete>
class LambdaSubscriber final : public Node<Subscriber<T>, DisposeTarget> {
 public:
  LambdaSubscriber(OnValue on_value, OnError on_error, OnComplete on_complete, std::int64_t demand)
      : on_value_(std::move(on_value)),
        on_error_(std::move(on_error)),
        on_complete_(std::move(on_complete)),
        demand_(demand) {}

  void on_subscribe(Subscription& subscription) noexcept override {
    if (upstream_.set(subscription)) subscription.request(demand_);
  }
  void on_next(T&& value) noexcept override {
    if (upstream_.is_closed()) return;
    try {
      on_value_(std::move(value));
    } catch (...) {
      Error error = error_of_exception();
      if (!upstream_.cancel()) return drop_error(error);
      report(std::move(error));
    }
  }
  void on_error(Error error) noexcept override {
    if (!upstream_.finish()) return drop_error(error);
    report(std::move(error));
  }
  void on_complete() noexcept override {
    if (!upstream_.finish()) return;
    try {
      on_complete_();
    } catch (...) {
      drop_error(error_of_exception());
    }
  }
  void dispose() noexcept override { upstream_.cancel(); }
  bool disposed() const noexcept override { return upstream_.is_closed(); }

 private:
  void report(Error error) noexcept {
    try {
      on_error_(std::move(error));
    } catch (...) {
      drop_error(error_of_exception());
    }
  }

  [[no_unique_address]] OnValue on_value_;
  [[no_unique_address]] OnError on_error_;
  [[no_unique_address]] OnComplete on_complete_;
  const std::int64_t demand_;
  SubscriptionSlot upstream_;
};

}  // namespace parkbench::reactive
