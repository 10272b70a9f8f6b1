#pragma once

#include <optional>

#include "parkbench/reactive/callback.hpp"
#include "parkbench/reactive/demand.hpp"
#include "parkbench/reactive/scalar_gate.hpp"
#include "parkbench/reactive/streams.hpp"

namespace parkbench::reactive {

/// The downstream half of every Mono that does more than pass signals on: at most one value, kept until it is asked
/// for, and exactly one end. What listens further up is a Role of the same object or a Part of it.
template <class T, class... Roles>
class Scalar : public Node<Subscription, Roles...> {
 public:
  void request(std::int64_t n) noexcept final {
    if (!Demand::valid(n)) return refuse(n);
    if (gate_.request()) deliver_stored();
  }
  void cancel() noexcept final {
    if (!gate_.end()) return;
    let_go(true);
    drop();
  }

 protected:
  explicit Scalar(Ref<Subscriber<T>> downstream) : downstream_(std::move(downstream)) {}
  Scalar(Ref<Subscriber<T>> downstream, T value)
      : downstream_(std::move(downstream)), gate_(ScalarGate::Start::valued), value_(std::move(value)) {}

  /// The stream is over: ends what this object still listens to. Called once, before the last signal goes out.
  /// @param from_below the subscriber ended it (cancel, a bad request), not what is above.
  virtual void let_go([[maybe_unused]] bool from_below) noexcept {}

  /// Makes the subscription known. The reference taken here lets the subscriber cancel from within.
  void announce() {
    const Ref<Subscriber<T>> downstream = downstream_;
    downstream->on_subscribe(*this);
  }
  void emit(T&& value) {
    if (gate_.deliver()) return deliver(std::move(value));
    if (settled()) return;
    value_.emplace(std::move(value));
    switch (gate_.stored()) {
      case ScalarGate::Stored::kept:
        return;
      case ScalarGate::Stored::deliver:
        return deliver_stored();
      case ScalarGate::Stored::refused:
        return value_.reset();
    }
  }
  void fail(Error error) {
    if (gate_.has_value() || !gate_.end()) return drop_error(error);
    let_go(false);
    const Ref<Subscriber<T>> downstream = drop();
    downstream->on_error(std::move(error));
  }
  void complete() {
    if (gate_.has_value() || !gate_.end()) return;
    let_go(false);
    const Ref<Subscriber<T>> downstream = drop();
    downstream->on_complete();
  }
  bool ended() const { return gate_.ended(); }
  /// Ended, or the value is here and waits for demand: what comes now comes too late.
  bool settled() const { return gate_.ended() || gate_.has_value(); }

 private:
  void refuse(std::int64_t n) {
    if (!gate_.end()) return;
    let_go(true);
    const Ref<Subscriber<T>> downstream = drop();
    downstream->on_error(Demand::refusal(n));
  }
  void deliver(T&& value) {
    let_go(false);
    const Ref<Subscriber<T>> downstream = std::move(downstream_);
    downstream->on_next(std::move(value));
    downstream->on_complete();
  }
  void deliver_stored() {
    T value = std::move(*value_);
    value_.reset();
    deliver(std::move(value));
  }
  /// After end(): gives up the subscriber and a value nobody asked for.
  Ref<Subscriber<T>> drop() {
    if (gate_.has_value()) value_.reset();
    return std::move(downstream_);
  }

  Ref<Subscriber<T>> downstream_;
  ScalarGate gate_;
  std::optional<T> value_;
};

}  // namespace parkbench::reactive
