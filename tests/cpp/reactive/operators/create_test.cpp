#include "parkbench/reactive/operators/create.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "parkbench/base/thread.hpp"
#include "parkbench/reactive/mono.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

class CreateTest : public testing::Test {
 protected:
  Mono<Tracked> kept() {
    return Mono<Tracked>::create([this](MonoSink<Tracked> sink) {
      sink.on_cancel([this] { ++cancelled_; });
      sink_.emplace(std::move(sink));
    });
  }
  ~CreateTest() override {
    sink_.reset();
    probe_->upstream.reset();
    probe_->values.clear();
    EXPECT_EQ(Tracked::live(), 0);
  }
  std::optional<MonoSink<Tracked>> sink_;
  Ref<Probe<Tracked>> probe_ = make_ref<Probe<Tracked>>();
  int cancelled_ = 0;
};

TEST_F(CreateTest, is_lazy) {
  const auto mono = kept();
  EXPECT_FALSE(sink_);
  mono.subscribe(probe_);
  EXPECT_TRUE(sink_);
}

TEST_F(CreateTest, the_value_waits_for_demand) {
  kept().subscribe(probe_);
  sink_->success(Tracked(1));
  EXPECT_EQ(probe_->signals, "");
  probe_->request(1);
  EXPECT_EQ(probe_->signals, "nc");
}

TEST_F(CreateTest, demand_may_come_first) {
  kept().subscribe(probe_);
  probe_->request(1);
  sink_->success(Tracked(1));
  EXPECT_EQ(probe_->signals, "nc");
  EXPECT_EQ(cancelled_, 0);
}

TEST_F(CreateTest, only_the_first_signal_counts) {
  kept().subscribe(probe_);
  probe_->request(1);
  sink_->success();
  sink_->success(Tracked(1));
  const auto before = dropped_errors();
  sink_->error({ErrorCode::db_error, ""});
  EXPECT_EQ(probe_->signals, "c");
  EXPECT_EQ(dropped_errors(), before + 1);
}

TEST_F(CreateTest, cancel_calls_the_hook_once_and_drops_late_values) {
  kept().subscribe(probe_);
  probe_->cancel();
  probe_->cancel();
  EXPECT_EQ(cancelled_, 1);
  EXPECT_TRUE(sink_->ended());
  sink_->success(Tracked(1));
  EXPECT_EQ(Tracked::live(), 0);
  EXPECT_EQ(probe_->signals, "");
}

TEST_F(CreateTest, cancel_drops_a_value_that_waits) {
  kept().subscribe(probe_);
  sink_->success(Tracked(1));
  probe_->cancel();
  EXPECT_EQ(Tracked::live(), 0);
  EXPECT_EQ(cancelled_, 1) << "the subscriber gave up before the value went out";
}

TEST_F(CreateTest, a_hook_set_too_late_runs_at_once) {
  Mono<Tracked>::create([this](MonoSink<Tracked> sink) { sink_.emplace(std::move(sink)); }).subscribe(probe_);
  probe_->cancel();
  sink_->on_cancel([this] { ++cancelled_; });
  EXPECT_EQ(cancelled_, 1);
}

TEST_F(CreateTest, the_hook_is_let_go_at_the_end) {
  const auto held = std::make_shared<int>(0);
  Mono<Tracked>::create([&](MonoSink<Tracked> sink) {
    sink.on_cancel([held] {});
    sink_.emplace(std::move(sink));
  }).subscribe(probe_);
  EXPECT_EQ(held.use_count(), 2);
  sink_->success();
  EXPECT_EQ(held.use_count(), 1);
  sink_->on_cancel([held] {});
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(CreateTest, a_sink_let_go_without_a_signal_is_an_error) {
  kept().subscribe(probe_);
  sink_.reset();
  EXPECT_EQ(probe_->signals, "e");
  Ref<Probe<int>> other = make_ref<Probe<int>>();
  Mono<int>::create([](MonoSink<int>) {}).subscribe(other);
  EXPECT_EQ(other->errors.at(0).message, "create: the sink was let go without a signal");
}

TEST_F(CreateTest, a_sink_may_go_once_it_has_given_its_value) {
  kept().subscribe(probe_);
  sink_->success(Tracked(1));
  sink_.reset();
  EXPECT_EQ(probe_->signals, "");
  probe_->request(1);
  EXPECT_EQ(probe_->signals, "nc");
}

TEST_F(CreateTest, a_throwing_function_is_the_error_though_its_sink_is_gone) {
  const auto before = dropped_errors();
  Mono<Tracked>::create([](MonoSink<Tracked>) { throw Failure(ErrorCode::db_connect, "x"); }).subscribe(probe_);
  EXPECT_EQ(probe_->signals, "e");
  EXPECT_EQ(probe_->errors.at(0).code, ErrorCode::db_connect);
  EXPECT_EQ(dropped_errors(), before);
}

TEST_F(CreateTest, a_throwing_hook_is_dropped) {
  const auto before = dropped_errors();
  Mono<Tracked>::create([this](MonoSink<Tracked> sink) {
    sink.on_cancel([] { throw std::runtime_error("x"); });
    sink_.emplace(std::move(sink));
  }).subscribe(probe_);
  probe_->cancel();
  EXPECT_EQ(dropped_errors(), before + 1);
}

TEST_F(CreateTest, value_request_and_cancel_race) {
  for (int round = 0; round < 500; ++round) {
    const auto probe = make_ref<Probe<Tracked>>();
    kept().subscribe(probe);
    const Ref<Subscription> subscription = std::move(probe->upstream);
    cancelled_ = 0;
    {
      const Thread one("value", [&] { sink_->success(Tracked(round)); });
      const Thread two("request", [&] { subscription->request(1); });
      const Thread three("cancel", [&] { subscription->cancel(); });
    }
    ASSERT_FALSE(probe->overlapped);
    ASSERT_TRUE(probe->signals.empty() || probe->signals == "nc") << probe->signals;
    ASSERT_EQ(cancelled_, probe->signals.empty() ? 1 : 0);
    probe->values.clear();
    ASSERT_EQ(Tracked::live(), 0);
  }
}

}  // namespace
}  // namespace parkbench::reactive
