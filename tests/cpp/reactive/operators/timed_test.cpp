#include "parkbench/reactive/operators/timed.hpp"

#include <gtest/gtest.h>

#include "parkbench/base/thread.hpp"
#include "parkbench/reactive/mono.hpp"
#include "parkbench/reactive/virtual_timers.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

class TimedTest : public testing::Test {
 protected:
  Mono<Tracked> source() { return Mono<Tracked>(Ref<Publisher<Tracked>>(source_)); }
  ~TimedTest() override {
    source_->subscriber.reset();
    probe_->upstream.reset();
    probe_->values.clear();
    EXPECT_EQ(timers_.pending(), 0U);
    EXPECT_EQ(Tracked::live(), 0);
  }
  VirtualTimers timers_{1'000};
  Ref<ManualPublisher<Tracked>> source_ = make_ref<ManualPublisher<Tracked>>();
  Ref<Probe<Tracked>> probe_ = make_ref<Probe<Tracked>>();
};

TEST_F(TimedTest, timeout_lets_a_value_in_time_pass_and_takes_its_timer_back) {
  source().timeout(10, timers_).subscribe(probe_);
  probe_->request(1);
  timers_.advance(9);
  source_->next(Tracked(1));
  source_->complete();
  EXPECT_EQ(probe_->signals, "nc");
  EXPECT_EQ(timers_.pending(), 0U);
  timers_.advance(100);
  EXPECT_EQ(probe_->signals, "nc");
}

TEST_F(TimedTest, timeout_is_an_error_that_cancels_the_upstream_once) {
  source().timeout(3 * kMillisecond, timers_).subscribe(probe_);
  timers_.advance(3 * kMillisecond);
  EXPECT_EQ(probe_->signals, "e");
  EXPECT_EQ(probe_->errors.at(0).code, ErrorCode::timeout);
  EXPECT_EQ(probe_->errors.at(0).message, "no answer within 3 ms");
  EXPECT_EQ(source_->spy->cancels, 1);
  source_->next(Tracked(1));
  EXPECT_EQ(probe_->signals, "e") << "a late value is dropped";
}

TEST_F(TimedTest, a_value_in_time_that_waits_for_demand_is_in_time) {
  source().timeout(10, timers_).subscribe(probe_);
  source_->next(Tracked(1));
  source_->complete();
  const auto before = dropped_errors();
  timers_.advance(10);
  EXPECT_EQ(dropped_errors(), before);
  probe_->request(1);
  EXPECT_EQ(probe_->signals, "nc");
}

TEST_F(TimedTest, timeout_counts_from_the_subscription) {
  const auto mono = source().timeout(10, timers_);
  timers_.advance(50);
  mono.subscribe(probe_);
  timers_.advance(9);
  EXPECT_EQ(probe_->signals, "");
  timers_.advance(1);
  EXPECT_EQ(probe_->signals, "e");
}

TEST_F(TimedTest, cancel_takes_the_timer_back_and_cancels_the_upstream) {
  source().timeout(10, timers_).subscribe(probe_);
  probe_->cancel();
  EXPECT_EQ(source_->spy->cancels, 1);
  EXPECT_EQ(timers_.pending(), 0U);
}

TEST_F(TimedTest, an_upstream_that_answers_at_once_leaves_no_timer) {
  int got = 0;
  Mono<int>::just(4).timeout(10, timers_).subscribe([&](int v) { got = v; });
  EXPECT_EQ(got, 4);
  EXPECT_EQ(timers_.pending(), 0U);
}

TEST_F(TimedTest, timeout_and_value_race) {
  for (int round = 0; round < 300; ++round) {
    std::optional<MonoSink<Tracked>> sink;
    const auto probe = make_ref<Probe<Tracked>>();
    Mono<Tracked>::create([&](MonoSink<Tracked> s) { sink.emplace(std::move(s)); })
        .timeout(10, timers_)
        .subscribe(probe);
    probe->request(1);
    {
      const Thread one("value", [&] { sink->success(Tracked(1)); });
      const Thread two("time", [&] { timers_.advance(10); });
    }
    ASSERT_FALSE(probe->overlapped);
    ASSERT_TRUE(probe->signals == "nc" || probe->signals == "e") << probe->signals;
  }
}

TEST_F(TimedTest, delay_holds_the_value_back_from_its_arrival) {
  source().delay(10, timers_).subscribe(probe_);
  probe_->request(1);
  timers_.advance(100);
  source_->next(Tracked(1));
  source_->complete();
  timers_.advance(9);
  EXPECT_EQ(probe_->signals, "");
  timers_.advance(1);
  EXPECT_EQ(probe_->signals, "nc");
}

TEST_F(TimedTest, delay_passes_ends_at_once) {
  source().delay(10, timers_).subscribe(probe_);
  source_->complete();
  EXPECT_EQ(probe_->signals, "c");
  const auto failed = make_ref<Probe<Tracked>>();
  source().delay(10, timers_).subscribe(failed);
  source_->error(ErrorCode::db_error);
  EXPECT_EQ(failed->signals, "e");
}

TEST_F(TimedTest, cancelling_a_delay_drops_the_value_and_its_timer) {
  source().delay(10, timers_).subscribe(probe_);
  probe_->request(1);
  source_->next(Tracked(1));
  EXPECT_EQ(Tracked::live(), 1);
  probe_->cancel();
  EXPECT_EQ(Tracked::live(), 0);
  EXPECT_EQ(timers_.pending(), 0U);
}

TEST_F(TimedTest, timer_gives_its_due_time) {
  std::vector<Ns> got;
  timer(1'500, timers_).subscribe([&](Ns at) { got.push_back(at); });
  timers_.advance(499);
  EXPECT_TRUE(got.empty());
  timers_.advance(1);
  EXPECT_EQ(got, std::vector<Ns>{1'500});
}

TEST_F(TimedTest, a_disposed_timer_is_taken_back) {
  const auto running = timer(1'500, timers_).subscribe([](Ns) { FAIL(); });
  running.dispose();
  running.dispose();
  EXPECT_TRUE(running.disposed());
  EXPECT_EQ(timers_.pending(), 0U);
}

}  // namespace
}  // namespace parkbench::reactive
