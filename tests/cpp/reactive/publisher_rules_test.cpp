/// Every source and operator under the rules of the Reactive Streams TCK that apply to publishers.

#include <gtest/gtest.h>

#include "parkbench/reactive/flux.hpp"
#include "parkbench/reactive/mono.hpp"
#include "parkbench/reactive/virtual_timers.hpp"
#include "reactive/support/publisher_rules.hpp"

namespace parkbench::reactive {
namespace {

using Int = std::int64_t;

Mono<Int> one_or_none(Int n) { return n == 0 ? Mono<Int>::empty() : Mono<Int>::just(n); }
Mono<Int> failed() { return Mono<Int>::error({ErrorCode::db_error, "planted"}); }
Int plus_one(Int v) { return v + 1; }

/// An operator between a source and the rules.
Subject mono(std::string name, std::function<Mono<Int>(Mono<Int>)> through) {
  return {std::move(name), 1, [through](Int n) { return through(one_or_none(n)).publisher(); },
          [through] { return through(failed()).publisher(); }};
}
Subject flux(std::string name, std::function<Flux<Int>(Flux<Int>, Int)> through) {
  const auto broken = [](Int) -> Int { throw Failure(ErrorCode::db_error, "planted"); };
  return {std::move(name), 20, [through](Int n) { return through(range(0, n), n).publisher(); },
          [through, broken] { return through(range(0, 3).map(broken), 3).publisher(); }};
}
Subject timed(std::string name, std::function<Mono<Int>(Mono<Int>, Timers&)> through) {
  const auto timers = std::make_shared<VirtualTimers>();
  Subject subject = mono(std::move(name), [through, timers](Mono<Int> m) { return through(std::move(m), *timers); });
  subject.pump = [timers] { timers->advance(kSecond); };
  return subject;
}

std::vector<Subject> subjects() {
  const auto unchanged = [](Mono<Int> m) { return m; };
  return {
      mono("just_empty_error", unchanged),
      mono("defer", [](Mono<Int> m) { return Mono<Int>::defer([m] { return m; }); }),
      mono("create",
           [](Mono<Int> m) {
             return Mono<Int>::create([m](MonoSink<Int> sink) {
               const auto kept = std::make_shared<MonoSink<Int>>(std::move(sink));
               m.subscribe([kept](Int v) { kept->success(v); }, [kept](Error e) { kept->error(std::move(e)); },
                           [kept] {
                             if (!kept->ended()) kept->success();
                           });
             });
           }),
      mono("map", [](Mono<Int> m) { return m.map(plus_one); }),
      mono("flat_map", [](Mono<Int> m) { return m.flat_map([](Int v) { return Mono<Int>::just(v); }); }),
      mono("zip", [](Mono<Int> m) { return m.zip(Mono<Int>::just(1), std::plus<Int>()); }),
      mono("zip_right", [](Mono<Int> m) { return Mono<Int>::just(1).zip(m, std::plus<Int>()); }),
      mono("switch_if_empty_first", [](Mono<Int> m) { return m.switch_if_empty(Mono<Int>::empty()); }),
      mono("switch_if_empty_second", [](Mono<Int> m) { return Mono<Int>::empty().switch_if_empty(m); }),
      mono("on_error_resume_first", [](Mono<Int> m) { return m.on_error_resume([](Error) { return failed(); }); }),
      mono("on_error_resume_second", [](Mono<Int> m) { return failed().on_error_resume([m](Error) { return m; }); }),
      timed("timeout", [](Mono<Int> m, Timers& t) { return m.timeout(kMillisecond, t); }),
      timed("delay", [](Mono<Int> m, Timers& t) { return m.delay(kMillisecond, t); }),
      timed("timer",
            [](Mono<Int> m, Timers& t) { return m.flat_map([&t](Int) { return timer(t.now() + kMillisecond, t); }); }),
      flux("range", [](Flux<Int> f, Int) { return f; }),
      flux("flux_map", [](Flux<Int> f, Int) { return f.map(plus_one); }),
      flux("filter", [](Flux<Int>, Int n) { return range(0, 2 * n).filter([](Int v) { return v % 2 == 1; }); }),
  };
}

class PublisherRulesTest : public testing::TestWithParam<Subject> {
 protected:
  PublisherRules rules_{GetParam()};
};

#define HOLDS(rule) EXPECT_EQ(rules_.rule(), "")

TEST_P(PublisherRulesTest, required_1_01_never_more_than_requested) { HOLDS(never_more_than_requested_1_01); }
TEST_P(PublisherRulesTest, required_1_02_may_finish_with_fewer) { HOLDS(may_finish_with_fewer_1_02); }
TEST_P(PublisherRulesTest, required_1_04_failure_is_on_error) {
  if (GetParam().name == "filter") GTEST_SKIP() << "its source is a range of its own, which cannot fail";
  HOLDS(failure_is_on_error_1_04);
}
TEST_P(PublisherRulesTest, required_1_05_empty_completes_unasked) { HOLDS(empty_completes_unasked_1_05); }
TEST_P(PublisherRulesTest, required_1_07_silence_after_on_complete) { HOLDS(silence_after_on_complete_1_07); }
TEST_P(PublisherRulesTest, required_1_09_on_subscribe_first_and_once) { HOLDS(on_subscribe_first_and_once_1_09); }
TEST_P(PublisherRulesTest, optional_1_11_several_subscribers) { HOLDS(several_subscribers_1_11); }
TEST_P(PublisherRulesTest, required_3_03_recursion_is_bounded) { HOLDS(recursion_is_bounded_3_03); }
TEST_P(PublisherRulesTest, required_3_06_request_after_cancel_is_nothing) {
  HOLDS(request_after_cancel_is_nothing_3_06);
}
TEST_P(PublisherRulesTest, required_3_07_cancel_after_cancel_is_nothing) { HOLDS(cancel_after_cancel_is_nothing_3_07); }
TEST_P(PublisherRulesTest, required_3_09_demand_must_be_positive) {
  for (const Int n : {Int{0}, Int{-1}, std::numeric_limits<Int>::min()}) {
    EXPECT_EQ(rules_.refuses_a_demand_of(n), "") << n;
  }
}
TEST_P(PublisherRulesTest, required_3_12_cancel_stops_signals) { HOLDS(cancel_stops_signals_3_12); }
TEST_P(PublisherRulesTest, required_3_13_cancel_drops_the_subscriber) { HOLDS(cancel_drops_the_subscriber_3_13); }
TEST_P(PublisherRulesTest, required_3_17_demand_saturates) { HOLDS(demand_saturates_3_17); }

INSTANTIATE_TEST_SUITE_P(All, PublisherRulesTest, testing::ValuesIn(subjects()),
                         [](const auto& tested) { return tested.param.name; });

TEST(PublisherRules, required_1_09_no_subscriber_is_refused) {
  EXPECT_THROW(Mono<Int>::just(1).subscribe(Ref<Subscriber<Int>>()), std::invalid_argument);
  EXPECT_THROW(range(0, 1).subscribe(Ref<Subscriber<Int>>()), std::invalid_argument);
}
TEST(PublisherRules, untested_1_10_same_subscriber_only_once) {
  GTEST_SKIP() << "a second on_subscribe is cancelled by each subscriber, see SubscriberRules 2.05";
}

}  // namespace
}  // namespace parkbench::reactive
