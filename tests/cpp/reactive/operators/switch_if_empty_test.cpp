#include "parkbench/reactive/operators/switch_if_empty.hpp"

#include <gtest/gtest.h>

#include "parkbench/reactive/mono.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

class SwitchIfEmptyTest : public testing::Test {
 protected:
  SwitchIfEmptyTest() {
    Mono<int>(Ref<Publisher<int>>(first_)).switch_if_empty(Mono<int>(Ref<Publisher<int>>(second_))).subscribe(probe_);
  }
  ~SwitchIfEmptyTest() override {
    first_->subscriber.reset();
    second_->subscriber.reset();
    probe_->upstream.reset();
  }
  Ref<ManualPublisher<int>> first_ = make_ref<ManualPublisher<int>>();
  Ref<ManualPublisher<int>> second_ = make_ref<ManualPublisher<int>>();
  Ref<Probe<int>> probe_ = make_ref<Probe<int>>();
};

TEST_F(SwitchIfEmptyTest, a_value_leaves_the_other_unasked) {
  probe_->request(1);
  first_->next(1);
  first_->complete();
  EXPECT_EQ(probe_->values, std::vector<int>{1});
  EXPECT_EQ(probe_->signals, "nc");
  EXPECT_EQ(second_->subscriptions, 0);
}

TEST_F(SwitchIfEmptyTest, demand_is_carried_over_to_the_other) {
  probe_->request(1);
  first_->complete();
  second_->next(2);
  second_->complete();
  EXPECT_EQ(probe_->values, std::vector<int>{2});
  EXPECT_EQ(probe_->signals, "nc");
}

TEST_F(SwitchIfEmptyTest, the_others_value_waits_for_demand) {
  first_->complete();
  second_->next(2);
  second_->complete();
  EXPECT_EQ(probe_->signals, "");
  probe_->request(1);
  EXPECT_EQ(probe_->signals, "nc");
}

TEST_F(SwitchIfEmptyTest, an_error_is_no_emptiness) {
  first_->error(ErrorCode::db_error);
  EXPECT_EQ(probe_->signals, "e");
  EXPECT_EQ(second_->subscriptions, 0);
}

TEST_F(SwitchIfEmptyTest, both_empty_is_empty) {
  first_->complete();
  second_->complete();
  EXPECT_EQ(probe_->signals, "c");
}

TEST_F(SwitchIfEmptyTest, cancel_reaches_the_one_that_runs) {
  first_->complete();
  probe_->cancel();
  EXPECT_EQ(first_->spy->cancels, 0);
  EXPECT_EQ(second_->spy->cancels, 1);
}

}  // namespace
}  // namespace parkbench::reactive
