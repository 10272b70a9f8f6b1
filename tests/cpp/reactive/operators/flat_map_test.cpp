#include "parkbench/reactive/operators/flat_map.hpp"

#include <gtest/gtest.h>

#include "parkbench/reactive/mono.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

class FlatMapTest : public testing::Test {
 protected:
  void subscribe() {
    Mono<int>(Ref<Publisher<int>>(outer_))
        .flat_map([this](int v) {
          mapped_.push_back(v);
          return Mono<Tracked>(Ref<Publisher<Tracked>>(inner_));
        })
        .subscribe(probe_);
  }
  ~FlatMapTest() override {
    outer_->subscriber.reset();
    inner_->subscriber.reset();
    probe_->upstream.reset();
    probe_->values.clear();
    EXPECT_EQ(Tracked::live(), 0);
  }

  Ref<ManualPublisher<int>> outer_ = make_ref<ManualPublisher<int>>();
  Ref<ManualPublisher<Tracked>> inner_ = make_ref<ManualPublisher<Tracked>>();
  Ref<Probe<Tracked>> probe_ = make_ref<Probe<Tracked>>();
  std::vector<int> mapped_;
};

TEST_F(FlatMapTest, the_inner_value_waits_for_demand) {
  subscribe();
  outer_->next(1);
  outer_->complete();
  inner_->next(Tracked(2));
  inner_->complete();
  EXPECT_EQ(probe_->signals, "");
  EXPECT_EQ(Tracked::live(), 1);
  probe_->request(1);
  EXPECT_EQ(probe_->signals, "nc");
  EXPECT_EQ(inner_->spy->cancels + outer_->spy->cancels, 0) << "what ended by itself is not cancelled";
}

TEST_F(FlatMapTest, a_waiting_value_is_dropped_by_cancel) {
  subscribe();
  outer_->next(1);
  inner_->next(Tracked(2));
  probe_->cancel();
  EXPECT_EQ(Tracked::live(), 0);
  EXPECT_EQ(probe_->signals, "");
}

TEST_F(FlatMapTest, cancel_before_the_value_reaches_the_outer_once) {
  subscribe();
  probe_->cancel();
  probe_->cancel();
  EXPECT_EQ(outer_->spy->cancels, 1);
  outer_->next(1);  // rule 2.8: may still come
  EXPECT_EQ(inner_->subscriptions, 0);
}

TEST_F(FlatMapTest, cancel_during_the_inner_reaches_the_inner_once) {
  subscribe();
  outer_->next(1);
  outer_->complete();
  probe_->cancel();
  probe_->cancel();
  EXPECT_EQ(outer_->spy->cancels, 0);
  EXPECT_EQ(inner_->spy->cancels, 1);
  inner_->next(Tracked(3));
  EXPECT_EQ(Tracked::live(), 0) << "a late value is ended once";
}

TEST_F(FlatMapTest, errors_of_either_pass) {
  subscribe();
  probe_->request(1);
  outer_->next(1);
  outer_->complete();
  inner_->error(ErrorCode::db_error);
  EXPECT_EQ(probe_->signals, "e");
}

TEST_F(FlatMapTest, empty_outer_is_empty_and_asks_nothing) {
  subscribe();
  outer_->complete();
  EXPECT_EQ(probe_->signals, "c");
  EXPECT_TRUE(mapped_.empty());
}

TEST_F(FlatMapTest, ignores_a_second_outer_value) {
  subscribe();
  outer_->next(1);
  outer_->next(2);
  EXPECT_EQ(mapped_, std::vector<int>{1});
}

TEST(FlatMap, throwing_or_empty_handed_functions_are_errors) {
  std::vector<ErrorCode> codes;
  const auto keep = [&](const Error& error) { codes.push_back(error.code); };
  Mono<int>::just(1)
      .flat_map([](int) -> Mono<int> { throw Failure(ErrorCode::not_found, ""); })
      .subscribe([](int) {}, keep);
  Mono<int>::just(1)
      .flat_map([](int) {
        Mono<int> gone = Mono<int>::just(2);
        const Mono<int> taken = std::move(gone);
        return gone;  // NOLINT(bugprone-use-after-move)
      })
      .subscribe([](int) {}, keep);
  EXPECT_EQ(codes, (std::vector{ErrorCode::not_found, ErrorCode::internal}));
}

}  // namespace
}  // namespace parkbench::reactive
