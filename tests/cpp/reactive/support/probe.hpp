#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "parkbench/reactive/streams.hpp"

namespace parkbench::reactive {

/// A subscriber under the test's control: it records every signal and asks for what the test says.
template <class T>
class Probe final : public Node<Subscriber<T>> {
 public:
  void on_subscribe(Subscription& subscription) noexcept override {
    ++subscribed;
    if (subscribed > 1) return subscription.cancel();
    upstream = Ref<Subscription>(&subscription);
    if (at_subscribe) at_subscribe(*this);
  }
  void on_next(T&& value) noexcept override {
    enter();
    signals += 'n';
    values.push_back(std::move(value));
    if (at_next) at_next(*this);
    leave();
  }
  void on_error(Error error) noexcept override {
    enter();
    signals += 'e';
    errors.push_back(std::move(error));
    upstream.reset();
    leave();
  }
  void on_complete() noexcept override {
    enter();
    signals += 'c';
    upstream.reset();
    leave();
  }

  /// No effect after the end, when the subscription is gone.
  void request(std::int64_t n) {
    if (const Ref<Subscription> held = upstream) held->request(n);
  }
  void cancel() {
    if (const Ref<Subscription> held = upstream) held->cancel();
  }
  bool ended() const { return signals.find_first_of("ec") != std::string::npos; }

  int subscribed = 0;
  Ref<Subscription> upstream;
  std::vector<T> values;
  std::vector<Error> errors;
  std::string signals;  // n, e, c in the order of arrival
  int deepest = 0;      // signals on the stack at once
  std::atomic<bool> overlapped{false};
  std::function<void(Probe&)> at_subscribe;
  std::function<void(Probe&)> at_next;

 private:
  void enter() {
    // A signal within a signal of the same thread is recursion (3.3); one from another thread breaks 1.3.
    const void* nobody = nullptr;
    if (!inside_.compare_exchange_strong(nobody, this_thread()) && nobody != this_thread()) overlapped = true;
    deepest = std::max(deepest, ++depth_);
  }
  void leave() {
    if (--depth_ == 0) inside_ = nullptr;
  }
  static const void* this_thread() {
    thread_local const char mark = 0;
    return &mark;
  }
  int depth_ = 0;
  std::atomic<const void*> inside_{nullptr};
};

/// A subscription that only records.
class SpySubscription final : public Node<Subscription> {
 public:
  void request(std::int64_t n) noexcept override { requests.push_back(n); }
  void cancel() noexcept override { ++cancels; }

  std::vector<std::int64_t> requests;
  int cancels = 0;
};

/// A publisher under the test's control, for one subscriber at a time; as a source it obeys the ownership rule only
/// when the test lets go of `subscriber`.
template <class T>
class ManualPublisher final : public Node<Publisher<T>> {
 public:
  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    ++subscriptions;
    subscriber = downstream;
    downstream->on_subscribe(*spy);
  }
  void next(T value) { Ref<Subscriber<T>>(subscriber)->on_next(std::move(value)); }
  void error(ErrorCode code) { end()->on_error({code, "planted"}); }
  void complete() { end()->on_complete(); }
  Ref<Subscriber<T>> end() { return std::move(subscriber); }

  int subscriptions = 0;
  Ref<Subscriber<T>> subscriber;
  Ref<SpySubscription> spy = make_ref<SpySubscription>();
};

/// A value that counts how many of it live, and that only moves.
class Tracked {
 public:
  explicit Tracked(int value = 0) : value_(value) { ++live(); }
  Tracked(Tracked&& other) noexcept : value_(other.value_) { ++live(); }
  Tracked& operator=(Tracked&& other) noexcept {
    value_ = other.value_;
    return *this;
  }
  ~Tracked() { --live(); }
  int value() const { return value_; }

  static std::atomic<int>& live() {
    static std::atomic<int> count{0};
    return count;
  }

 private:
  int value_;
};

}  // namespace parkbench::reactive
