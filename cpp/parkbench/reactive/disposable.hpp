#pragma once

#include "parkbench/reactive/counted.hpp"

namespace parkbench::reactive {

/// What a Disposable points at.
class DisposeTarget : public Counted {
 public:
  virtual void dispose() noexcept = 0;
  virtual bool disposed() const noexcept = 0;

 protected:
  ~DisposeTarget() = default;
};

/// The handle of a running subscription. Letting it go does not end the subscription.
class Disposable {
 public:
  Disposable() = default;
  explicit Disposable(Ref<DisposeTarget> target) : target_(std::move(target)) {}

  /// Cancels; any thread, any number of times. No callback begins after it returned on the signalling thread.
  void dispose() const {
    if (target_) target_->dispose();
  }
  /// True once cancelled or ended by itself.
  bool disposed() const { return !target_ || target_->disposed(); }

 private:
  Ref<DisposeTarget> target_;
};

}  // namespace parkbench::reactive
