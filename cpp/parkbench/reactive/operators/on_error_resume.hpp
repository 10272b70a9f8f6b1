#pragma once

#include "parkbench/reactive/operators/continuing.hpp"
#include "parkbench/reactive/operators/publisher_from.hpp"

namespace parkbench::reactive {

/// on_error_resume: goes on with the Mono that f makes of the error. When f throws, its error replaces the first.
template <class T, class F>
class OnErrorResume final : public Node<Publisher<T>> {
 public:
  OnErrorResume(Ref<Publisher<T>> source, F f) : source_(std::move(source)), f_(std::move(f)) {}

  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    make_ref<Stage>(Ref<OnErrorResume>(this), std::move(downstream))->start(*source_);
  }

 private:
  class Stage final : public Continuing<T, T> {
   public:
    Stage(Ref<OnErrorResume> self, Ref<Subscriber<T>> downstream)
        : Continuing<T, T>(std::move(downstream)), resume_(std::move(self)) {}

    void on_next(T&& value) noexcept override {
      seen_ = true;
      this->upstream_.finish();
      this->emit(std::move(value));
    }
    void on_error(Error error) noexcept override {
      if (seen_) return drop_error(error);
      seen_ = true;
      Error failed;
      if (const auto next = publisher_from<T>(failed, resume_->f_, std::move(error))) return this->go_on(*next);
      this->upstream_.finish();
      this->fail(std::move(failed));
    }
    void on_complete() noexcept override {
      if (seen_) return;
      this->upstream_.finish();
      this->complete();
    }

   private:
    const Ref<OnErrorResume> resume_;  // keeps the function
    bool seen_ = false;                // a value, or the error
  };

  const Ref<Publisher<T>> source_;
  F f_;
};

}  // namespace parkbench::reactive
