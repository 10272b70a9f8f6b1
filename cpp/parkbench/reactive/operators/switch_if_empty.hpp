#pragma once

#include "parkbench/reactive/operators/continuing.hpp"

namespace parkbench::reactive {

/// switch_if_empty: the other Mono when this one completes without a value. An error is no emptiness.
template <class T>
class SwitchIfEmpty final : public Node<Publisher<T>> {
 public:
  SwitchIfEmpty(Ref<Publisher<T>> source, Ref<Publisher<T>> other)
      : source_(std::move(source)), other_(std::move(other)) {}

  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    make_ref<Stage>(other_, std::move(downstream))->start(*source_);
  }

 private:
  class Stage final : public Continuing<T, T> {
   public:
    Stage(Ref<Publisher<T>> other, Ref<Subscriber<T>> downstream)
        : Continuing<T, T>(std::move(downstream)), other_(std::move(other)) {}

    void on_next(T&& value) noexcept override {
      seen_ = true;
      this->upstream_.finish();
      this->emit(std::move(value));
    }
    void on_error(Error error) noexcept override {
      this->upstream_.finish();
      this->fail(std::move(error));
    }
    void on_complete() noexcept override {
      if (!seen_) this->go_on(*other_);
    }

   private:
    const Ref<Publisher<T>> other_;
    bool seen_ = false;
  };

  const Ref<Publisher<T>> source_;
  const Ref<Publisher<T>> other_;
};

}  // namespace parkbench::reactive
