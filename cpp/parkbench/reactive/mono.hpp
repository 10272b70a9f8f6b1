#pragma once

#include <functional>
#include <stdexcept>
#include <type_traits>

#include "parkbench/reactive/disposable.hpp"
#include "parkbench/reactive/operators/create.hpp"
#include "parkbench/reactive/operators/flat_map.hpp"
#include "parkbench/reactive/operators/lambda_subscriber.hpp"
#include "parkbench/reactive/operators/map.hpp"
#include "parkbench/reactive/operators/mono_sources.hpp"
#include "parkbench/reactive/operators/on_error_resume.hpp"
#include "parkbench/reactive/operators/switch_if_empty.hpp"
#include "parkbench/reactive/operators/timed.hpp"
#include "parkbench/reactive/operators/zip.hpp"
#include "parkbench/reactive/streams.hpp"

namespace parkbench::reactive {

/// At most one value of T, later: a recipe that does nothing until it is subscribed to, and anew for each subscriber.
///
/// A small handle to an immutable chain; copies share it. Operators have Reactor's names and meaning. Functions given
/// to them may throw: the Mono then ends with that error (a Failure keeps its code, all else is ErrorCode::internal).
/// A function is shared by all subscriptions of its chain, which may run on several threads.
template <class T>
class Mono {
 public:
  using Value = T;

  explicit Mono(Ref<Publisher<T>> publisher) : publisher_(std::move(publisher)) {}

  static Mono just(T value) { return Mono(make_ref<Just<T>>(std::move(value))); }
  static Mono empty() { return Mono(make_ref<Empty<T>>()); }
  static Mono error(Error error) { return Mono(make_ref<Fail<T>>(std::move(error))); }
  /// f() -> Mono<T>, asked at each subscription.
  template <class F>
  static Mono defer(F f) {
    return Mono(make_ref<Defer<T, F>>(std::move(f)));
  }
  /// f(MonoSink<T>), called at each subscription; see MonoSink.
  template <class F>
  static Mono create(F f) {
    return Mono(make_ref<Create<T, F>>(std::move(f)));
  }

  /// f(T&&) -> R, the value.
  template <class F>
  auto map(F f) const {
    using R = std::decay_t<std::invoke_result_t<F&, T&&>>;
    return Mono<R>(make_ref<Map<T, R, F>>(publisher_, std::move(f)));
  }
  /// f(T&&) -> Mono<R>.
  template <class F>
  auto flat_map(F f) const {
    using R = typename std::invoke_result_t<F&, T&&>::Value;
    return Mono<R>(make_ref<FlatMap<T, R, F>>(publisher_, std::move(f)));
  }
  /// combine(T&&, U&&) -> R, once both have come; both are subscribed to at once, this one first.
  template <class U, class F>
  auto zip(Mono<U> other, F combine) const {
    using R = std::decay_t<std::invoke_result_t<F&, T&&, U&&>>;
    return Mono<R>(make_ref<Zip<T, U, R, F>>(publisher_, other.publisher(), std::move(combine)));
  }
  Mono switch_if_empty(Mono other) const {
    return Mono(make_ref<SwitchIfEmpty<T>>(publisher_, std::move(other.publisher_)));
  }
  /// f(Error) -> Mono<T>.
  template <class F>
  Mono on_error_resume(F f) const {
    return Mono(make_ref<OnErrorResume<T, F>>(publisher_, std::move(f)));
  }
  /// The error ErrorCode::timeout unless a signal comes within limit of the subscription. timers must outlive it.
  Mono timeout(Ns limit, Timers& timers) const { return Mono(make_ref<Timeout<T>>(publisher_, limit, timers)); }
  /// The value `delay` after it came (Reactor's delayElement).
  Mono delay(Ns delay, Timers& timers) const { return Mono(make_ref<Delay<T>>(publisher_, delay, timers)); }

  /// Runs the chain; the functions are called on whichever thread signals.
  template <class OnValue, class OnError = DropError, class OnComplete = IgnoreComplete>
    requires std::is_invocable_v<OnValue&, T&&>
  Disposable subscribe(OnValue on_value, OnError on_error = {}, OnComplete on_complete = {}) const {
    auto subscriber = make_ref<LambdaSubscriber<T, OnValue, OnError, OnComplete>>(
        std::move(on_value), std::move(on_error), std::move(on_complete), kUnbounded);
    Disposable handle{Ref<DisposeTarget>(subscriber)};
    publisher_->subscribe(std::move(subscriber));
    return handle;
  }
  /// @throws std::invalid_argument when there is no subscriber (rule 1.9).
  void subscribe(Ref<Subscriber<T>> subscriber) const {
    if (!subscriber) throw std::invalid_argument("subscribe: no subscriber (rule 1.9)");
    publisher_->subscribe(std::move(subscriber));
  }

  const Ref<Publisher<T>>& publisher() const& { return publisher_; }
  Ref<Publisher<T>> publisher() && { return std::move(publisher_); }

 private:
  Ref<Publisher<T>> publisher_;
};

/// The time `due`, once timers have reached it.
inline Mono<Ns> timer(Ns due, Timers& timers) { return Mono<Ns>(make_ref<TimerSource>(due, timers)); }

}  // namespace parkbench::reactive
