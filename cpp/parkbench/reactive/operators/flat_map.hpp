#pragma once

#include "parkbench/reactive/operators/continuing.hpp"
#include "parkbench/reactive/operators/publisher_from.hpp"

namespace parkbench::reactive {

/// Mono's flat_map: the value decides which Mono comes next. Empty and errors pass by it.
template <class T, class R, class F>
class FlatMap final : public Node<Publisher<R>> {
 public:
  FlatMap(Ref<Publisher<T>> source, F f) : source_(std::move(source)), f_(std::move(f)) {}

  void subscribe(Ref<Subscriber<R>> downstream) noexcept override {
    make_ref<Stage>(Ref<FlatMap>(this), std::move(downstream))->start(*source_);
  }

 private:
  class Stage final : public Continuing<T, R> {
   public:
    Stage(Ref<FlatMap> self, Ref<Subscriber<R>> downstream)
        : Continuing<T, R>(std::move(downstream)), flat_map_(std::move(self)) {}

    void on_next(T&& value) noexcept override {
      if (mapped_) return;
      mapped_ = true;
      Error error;
      if (const auto next = publisher_from<R>(error, flat_map_->f_, std::move(value))) return this->go_on(*next);
      this->fail(std::move(error));
    }
    void on_error(Error error) noexcept override {
      if (mapped_) return drop_error(error);
      this->upstream_.finish();
      this->fail(std::move(error));
    }
    void on_complete() noexcept override {
      if (mapped_) return;
      this->upstream_.finish();
      this->complete();
    }

   private:
    const Ref<FlatMap> flat_map_;  // keeps the function
    bool mapped_ = false;
  };

  const Ref<Publisher<T>> source_;
  F f_;
};

}  // namespace parkbench::reactive
