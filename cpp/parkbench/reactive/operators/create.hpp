#pragma once

#include <functional>

#include "parkbench/base/unique_function.hpp"
#include "parkbench/reactive/scalar.hpp"

namespace parkbench::reactive {

/// What stands between a MonoSink and the subscriber: the state of one subscription to create().
template <class T>
class CreateRun final : public Scalar<T> {
 public:
  explicit CreateRun(Ref<Subscriber<T>> downstream) : Scalar<T>(std::move(downstream)) {}
  using Scalar<T>::announce;
  using Scalar<T>::emit;
  using Scalar<T>::fail;
  using Scalar<T>::complete;
  using Scalar<T>::ended;

  void on_cancel(UniqueFunction<void()> hook) {
    if (hook_state_.load(std::memory_order_acquire) == Hook::set) return;
    hook_ = std::move(hook);
    Hook seen = Hook::none;
    if (hook_state_.compare_exchange_strong(seen, Hook::set, std::memory_order_acq_rel)) return;
    run_hook(seen == Hook::cancelled);
  }
  /// The function that was given the sink returned; a sink that it let go is now an error.
  void filled() {
    if (sink_.exchange(Sink::kept, std::memory_order_acq_rel) == Sink::lost) fail_lost();
  }
  /// The sink is gone. While the function still runs it may be about to throw, which says more: filled() looks.
  void sink_lost() {
    if (sink_.exchange(Sink::lost, std::memory_order_acq_rel) == Sink::kept) fail_lost();
  }

 private:
  enum class Hook : std::uint8_t { none, set, over, cancelled };
  enum class Sink : std::uint8_t { filling, kept, lost };

  void let_go(bool from_below) noexcept override {
    const Hook end = from_below ? Hook::cancelled : Hook::over;
    if (hook_state_.exchange(end, std::memory_order_acq_rel) == Hook::set) run_hook(from_below);
  }
  /// Lets go of the hook in any case: it may hold the sink.
  void run_hook(bool call) noexcept {
    UniqueFunction<void()> hook = std::move(hook_);
    try {
      if (call && hook) hook();
    } catch (...) {
      drop_error(error_of_exception());
    }
  }
  void fail_lost() {
    if (!this->settled()) fail({ErrorCode::internal, "create: the sink was let go without a signal"});
  }

  UniqueFunction<void()> hook_;
  std::atomic<Hook> hook_state_{Hook::none};
  std::atomic<Sink> sink_{Sink::filling};
};

/// The producer's end of Mono::create. Moves; used by one thread at a time, any thread. The first signal counts, later
/// ones are dropped. A sink let go without a signal ends the Mono with an error, so that nobody waits for ever.
template <class T>
class MonoSink {
 public:
  explicit MonoSink(Ref<CreateRun<T>> run) : run_(std::move(run)) {}
  MonoSink(MonoSink&&) noexcept = default;
  MonoSink& operator=(MonoSink&& other) noexcept {
    std::swap(run_, other.run_);
    return *this;
  }
  ~MonoSink() {
    if (run_) run_->sink_lost();
  }

  void success(T value) { run_->emit(std::move(value)); }
  void success() { run_->complete(); }
  void error(Error error) { run_->fail(std::move(error)); }
  /// f is called when the subscriber gives up before a signal, on its thread; at once if it has already. One hook.
  void on_cancel(UniqueFunction<void()> f) { run_->on_cancel(std::move(f)); }
  /// True when a signal would reach nobody.
  bool ended() const { return run_->ended(); }

 private:
  Ref<CreateRun<T>> run_;
};

/// create: the bridge from callbacks; f is given a sink at each subscription.
template <class T, class F>
class Create final : public Node<Publisher<T>> {
 public:
  explicit Create(F f) : f_(std::move(f)) {}

  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    const auto run = make_ref<CreateRun<T>>(std::move(downstream));
    run->announce();
    if (run->ended()) return;
    try {
      std::invoke(f_, MonoSink<T>(run));
      run->filled();
    } catch (...) {
      run->fail(error_of_exception());
    }
  }

 private:
  F f_;
};

}  // namespace parkbench::reactive
