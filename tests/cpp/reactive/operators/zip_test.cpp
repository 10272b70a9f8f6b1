#include "parkbench/reactive/operators/zip.hpp"

#include <gtest/gtest.h>

#include "parkbench/base/thread.hpp"
#include "parkbench/reactive/mono.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

class ZipTest : public testing::Test {
 protected:
  void subscribe() {
    Mono<Tracked>(Ref<Publisher<Tracked>>(left_))
        .zip(Mono<Tracked>(Ref<Publisher<Tracked>>(right_)),
             [](Tracked a, Tracked b) { return Tracked(10 * a.value() + b.value()); })
        .subscribe(probe_);
    probe_->request(1);
  }
  ~ZipTest() override {
    left_->subscriber.reset();
    right_->subscriber.reset();
    probe_->upstream.reset();
    probe_->values.clear();
    EXPECT_EQ(Tracked::live(), 0);
  }
  Ref<ManualPublisher<Tracked>> left_ = make_ref<ManualPublisher<Tracked>>();
  Ref<ManualPublisher<Tracked>> right_ = make_ref<ManualPublisher<Tracked>>();
  Ref<Probe<Tracked>> probe_ = make_ref<Probe<Tracked>>();
};

TEST_F(ZipTest, both_values_in_either_order) {
  subscribe();
  right_->next(Tracked(2));
  right_->complete();
  EXPECT_EQ(probe_->signals, "");
  left_->next(Tracked(1));
  left_->complete();
  EXPECT_EQ(probe_->signals, "nc");
  EXPECT_EQ(probe_->values.at(0).value(), 12);
  EXPECT_EQ(left_->spy->cancels + right_->spy->cancels, 0);
}

TEST_F(ZipTest, an_error_cancels_the_other_side_once) {
  subscribe();
  left_->next(Tracked(1));
  right_->error(ErrorCode::db_error);
  EXPECT_EQ(probe_->signals, "e");
  EXPECT_EQ(right_->spy->cancels, 0);
  EXPECT_EQ(left_->spy->cancels, 0) << "it has given its value already";
  left_->complete();

  right_->subscriber.reset();
}

TEST_F(ZipTest, an_error_cancels_a_silent_side_once) {
  subscribe();
  left_->error(ErrorCode::db_error);
  EXPECT_EQ(right_->spy->cancels, 1);
  right_->next(Tracked(2));
  EXPECT_EQ(probe_->signals, "e");
}

TEST_F(ZipTest, an_empty_side_makes_it_empty_and_cancels_the_other) {
  subscribe();
  right_->complete();
  EXPECT_EQ(probe_->signals, "c");
  EXPECT_EQ(left_->spy->cancels, 1);
}

TEST_F(ZipTest, cancel_reaches_both_sides_once) {
  subscribe();
  probe_->cancel();
  probe_->cancel();
  EXPECT_EQ(left_->spy->cancels, 1);
  EXPECT_EQ(right_->spy->cancels, 1);
}

TEST(Zip, a_side_that_ended_it_at_once_leaves_the_other_unasked) {
  const auto right = make_ref<ManualPublisher<int>>();
  ErrorCode code = ErrorCode::none;
  Mono<int>::error({ErrorCode::db_error, ""})
      .zip(Mono<int>(Ref<Publisher<int>>(right)), std::plus<int>())
      .subscribe([](int) {}, [&](const Error& error) { code = error.code; });
  EXPECT_EQ(code, ErrorCode::db_error);
  EXPECT_EQ(right->subscriptions, 0);
}

TEST(Zip, a_throwing_combiner_is_the_error) {
  ErrorCode code = ErrorCode::none;
  Mono<int>::just(1)
      .zip(Mono<int>::just(2), [](int, int) -> int { throw Failure(ErrorCode::wrong_answer, ""); })
      .subscribe([](int) {}, [&](const Error& error) { code = error.code; });
  EXPECT_EQ(code, ErrorCode::wrong_answer);
}

TEST(Zip, values_from_two_threads_meet_exactly_once) {
  for (int round = 0; round < 300; ++round) {
    std::unique_ptr<MonoSink<int>> left;
    std::unique_ptr<MonoSink<int>> right;
    const auto keep = [](auto& place) {
      return Mono<int>::create([&](MonoSink<int> sink) { place = std::make_unique<MonoSink<int>>(std::move(sink)); });
    };
    int sum = 0;
    keep(left).zip(keep(right), std::plus<int>()).subscribe([&](int v) { sum += v; });
    {
      const Thread one("left", [&] { left->success(1); });
      const Thread two("right", [&] { right->success(2); });
    }
    ASSERT_EQ(sum, 3);
  }
}

}  // namespace
}  // namespace parkbench::reactive
