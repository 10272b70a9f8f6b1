/// The rules for subscribers, for everything that subscribes: the end of a chain and the upper half of each operator.

#include <gtest/gtest.h>

#include <functional>

#include "parkbench/reactive/flux.hpp"
#include "parkbench/reactive/mono.hpp"
#include "parkbench/reactive/virtual_timers.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

/// Notes calls that come while a terminal signal is being delivered (rule 2.3).
class WatchfulSubscription final : public Node<Subscription> {
 public:
  void request(std::int64_t n) noexcept override {
    requested += n > 0;
    inside_terminal += in_terminal;
  }
  void cancel() noexcept override {
    ++cancels;
    inside_terminal += in_terminal;
  }
  int requested = 0;
  int cancels = 0;
  bool in_terminal = false;
  int inside_terminal = 0;
};

class WatchfulPublisher final : public Node<Publisher<int>> {
 public:
  void subscribe(Ref<Subscriber<int>> downstream) noexcept override {
    subscriber = downstream;
    downstream->on_subscribe(*subscription);
  }
  void terminal(bool well) {
    subscription->in_terminal = true;
    const Ref<Subscriber<int>> gone = std::move(subscriber);
    well ? gone->on_complete() : gone->on_error({ErrorCode::db_error, "planted"});
    subscription->in_terminal = false;
  }
  Ref<WatchfulSubscription> subscription = make_ref<WatchfulSubscription>();
  Ref<Subscriber<int>> subscriber;
};

struct Listener {
  std::string name;
  /// Puts the subscriber under test on top of the source.
  std::function<Disposable(Mono<int>, Timers&)> subscribe;
};

Disposable end(const Mono<int>& mono) {
  return mono.subscribe([](int) {}, [](const Error&) {});
}

std::vector<Listener> listeners() {
  using M = Mono<int>;
  const auto one = [](int) { return M::just(1); };
  return {
      {"lambda", [](M m, Timers&) { return end(m); }},
      {"map", [](M m, Timers&) { return end(m.map([](int v) { return v; })); }},
      {"filter",
       [](M m, Timers&) {
         return Flux<int>(m.publisher()).filter([](int) { return true; }).subscribe([](int) {}, [](const Error&) {});
       }},
      {"flat_map", [one](M m, Timers&) { return end(m.flat_map(one)); }},
      {"zip", [](M m, Timers& t) { return end(m.zip(timer(kSecond, t), [](int v, Ns) { return v; })); }},
      {"switch_if_empty", [](M m, Timers&) { return end(m.switch_if_empty(M::just(1))); }},
      {"on_error_resume", [](M m, Timers&) { return end(m.on_error_resume([](const Error&) { return M::just(1); })); }},
      {"timeout", [](M m, Timers& t) { return end(m.timeout(kSecond, t)); }},
      {"delay", [](M m, Timers& t) { return end(m.delay(kSecond, t)); }},
  };
}

class SubscriberRules : public testing::TestWithParam<Listener> {
 protected:
  SubscriberRules() { handle_ = GetParam().subscribe(Mono<int>(Ref<Publisher<int>>(source_)), timers_); }
  ~SubscriberRules() override {
    handle_.dispose();
    source_->subscriber.reset();
    EXPECT_EQ(timers_.pending(), 0U);
  }
  VirtualTimers timers_;
  Ref<WatchfulPublisher> source_ = make_ref<WatchfulPublisher>();
  Disposable handle_;
};

TEST_P(SubscriberRules, required_2_01_asks_by_request) { EXPECT_EQ(source_->subscription->requested, 1); }

TEST_P(SubscriberRules, required_2_03_calls_nothing_within_on_complete) {
  source_->terminal(true);
  EXPECT_EQ(source_->subscription->inside_terminal, 0);
}
TEST_P(SubscriberRules, required_2_03_calls_nothing_within_on_error) {
  source_->terminal(false);
  EXPECT_EQ(source_->subscription->inside_terminal, 0);
}
TEST_P(SubscriberRules, required_2_05_cancels_a_second_subscription) {
  const auto second = make_ref<SpySubscription>();
  Ref<Subscriber<int>>(source_->subscriber)->on_subscribe(*second);
  EXPECT_EQ(second->cancels, 1);
  EXPECT_TRUE(second->requests.empty());
  EXPECT_EQ(source_->subscription->cancels, 0);
}
TEST_P(SubscriberRules, untested_2_06_cancel_reaches_the_source_once) {
  handle_.dispose();
  handle_.dispose();
  EXPECT_EQ(source_->subscription->cancels, 1);
}
TEST_P(SubscriberRules, required_2_08_survives_a_value_after_cancel) {
  handle_.dispose();
  Ref<Subscriber<int>>(source_->subscriber)->on_next(1);
}
TEST_P(SubscriberRules, required_2_09_takes_a_completion_after_a_value) {
  Ref<Subscriber<int>>(source_->subscriber)->on_next(1);
  source_->terminal(true);
  timers_.advance(kSecond);
  EXPECT_TRUE(handle_.disposed());
}
TEST_P(SubscriberRules, required_2_09_takes_a_completion_without_a_value) {
  source_->terminal(true);
  EXPECT_TRUE(handle_.disposed());
}
TEST_P(SubscriberRules, required_2_10_takes_an_error) {
  source_->terminal(false);
  EXPECT_TRUE(handle_.disposed());
}

INSTANTIATE_TEST_SUITE_P(All, SubscriberRules, testing::ValuesIn(listeners()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace parkbench::reactive
