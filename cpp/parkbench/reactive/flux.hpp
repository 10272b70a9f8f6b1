#pragma once

#include <stdexcept>
#include <type_traits>

#include "parkbench/reactive/disposable.hpp"
#include "parkbench/reactive/operators/filter.hpp"
#include "parkbench/reactive/operators/lambda_subscriber.hpp"
#include "parkbench/reactive/operators/map.hpp"
#include "parkbench/reactive/operators/range.hpp"
#include "parkbench/reactive/streams.hpp"

namespace parkbench::reactive {

/// Any number of values of T, as fast as they are asked for; otherwise as Mono.
template <class T>
class Flux {
 public:
  using Value = T;

  explicit Flux(Ref<Publisher<T>> publisher) : publisher_(std::move(publisher)) {}

  /// f(T&&) -> R, the value.
  template <class F>
  auto map(F f) const {
    using R = std::decay_t<std::invoke_result_t<F&, T&&>>;
    return Flux<R>(make_ref<Map<T, R, F>>(publisher_, std::move(f)));
  }
  /// predicate(const T&) -> bool.
  template <class P>
  Flux filter(P predicate) const {
    return Flux(make_ref<Filter<T, P>>(publisher_, std::move(predicate)));
  }

  /// Asks for all there is; for demand in steps subscribe a Subscriber.
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

  const Ref<Publisher<T>>& publisher() const { return publisher_; }

 private:
  Ref<Publisher<T>> publisher_;
};

/// count integers from start on. @throws std::invalid_argument when count is negative or the last one does not fit.
inline Flux<std::int64_t> range(std::int64_t start, std::int64_t count) {
  if (count < 0) throw std::invalid_argument("range: count is negative");
  if (count > 0 && start > std::numeric_limits<std::int64_t>::max() - count) {
    throw std::invalid_argument("range: the last number does not fit");
  }
  return Flux<std::int64_t>(make_ref<Range>(start, count));
}

}  // namespace parkbench::reactive
