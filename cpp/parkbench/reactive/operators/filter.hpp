#pragma once

#include <functional>

#include "parkbench/reactive/callback.hpp"
#include "parkbench/reactive/streams.hpp"

namespace parkbench::reactive {

/// filter: lets pass what the predicate likes and asks for one more for each element it drops, so that demand from
/// below is met by elements that pass. A throwing predicate cancels the upstream.
template <class T, class P>
class Filter final : public Node<Publisher<T>> {
 public:
  Filter(Ref<Publisher<T>> source, P predicate) : source_(std::move(source)), predicate_(std::move(predicate)) {}

  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    source_->subscribe(make_ref<Stage>(Ref<Filter>(this), std::move(downstream)));
  }

 private:
  class Stage final : public Node<Subscriber<T>> {
   public:
    Stage(Ref<Filter> filter, Ref<Subscriber<T>> downstream)
        : filter_(std::move(filter)), downstream_(std::move(downstream)) {}

    void on_subscribe(Subscription& subscription) noexcept override {
      if (upstream_ != nullptr) return subscription.cancel();
      upstream_ = &subscription;
      downstream_->on_subscribe(subscription);
    }
    void on_next(T&& value) noexcept override {
      if (ended_) return;
      try {
        if (!std::invoke(filter_->predicate_, std::as_const(value))) return upstream_->request(1);
      } catch (...) {
        ended_ = true;
        upstream_->cancel();
        return downstream_->on_error(error_of_exception());
      }
      downstream_->on_next(std::move(value));
    }
    void on_error(Error error) noexcept override {
      if (ended_) return drop_error(error);
      ended_ = true;
      downstream_->on_error(std::move(error));
    }
    void on_complete() noexcept override {
      if (ended_) return;
      ended_ = true;
      downstream_->on_complete();
    }

   private:
    const Ref<Filter> filter_;  // keeps the predicate
    const Ref<Subscriber<T>> downstream_;
    Subscription* upstream_ = nullptr;
    bool ended_ = false;
  };

  const Ref<Publisher<T>> source_;
  P predicate_;
};

}  // namespace parkbench::reactive
