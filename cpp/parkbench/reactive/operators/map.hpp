#pragma once

#include <functional>

#include "parkbench/reactive/callback.hpp"
#include "parkbench/reactive/streams.hpp"

namespace parkbench::reactive {

/// map: each element through a function; the same for Mono and Flux. A throwing function cancels the upstream.
template <class T, class R, class F>
class Map final : public Node<Publisher<R>> {
 public:
  Map(Ref<Publisher<T>> source, F f) : source_(std::move(source)), f_(std::move(f)) {}

  void subscribe(Ref<Subscriber<R>> downstream) noexcept override {
    source_->subscribe(make_ref<Stage>(Ref<Map>(this), std::move(downstream)));
  }

 private:
  class Stage final : public Node<Subscriber<T>> {
   public:
    Stage(Ref<Map> map, Ref<Subscriber<R>> downstream) : map_(std::move(map)), downstream_(std::move(downstream)) {}

    void on_subscribe(Subscription& subscription) noexcept override {
      if (upstream_ != nullptr) return subscription.cancel();
      upstream_ = &subscription;
      downstream_->on_subscribe(subscription);
    }
    void on_next(T&& value) noexcept override {
      if (ended_) return;
      try {
        downstream_->on_next(std::invoke(map_->f_, std::move(value)));
      } catch (...) {
        ended_ = true;
        upstream_->cancel();
        downstream_->on_error(error_of_exception());
      }
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
    const Ref<Map> map_;  // keeps the function
    const Ref<Subscriber<R>> downstream_;
    Subscription* upstream_ = nullptr;
    bool ended_ = false;
  };

  const Ref<Publisher<T>> source_;
  F f_;
};

}  // namespace parkbench::reactive
