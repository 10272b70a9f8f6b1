#include "parkbench/reactive/operators/on_error_resume.hpp"

#include <gtest/gtest.h>

#include "parkbench/reactive/mono.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

class OnErrorResumeTest : public testing::Test {
 protected:
  OnErrorResumeTest() {
    Mono<int>(Ref<Publisher<int>>(first_))
        .on_error_resume([this](const Error& error) {
          seen_ = error.code;
          if (error.code == ErrorCode::cancelled) throw Failure(ErrorCode::wrong_answer, "from the function");
          return Mono<int>(Ref<Publisher<int>>(second_));
        })
        .subscribe(probe_);
  }
  ~OnErrorResumeTest() override {
    first_->subscriber.reset();
    second_->subscriber.reset();
    probe_->upstream.reset();
  }
  Ref<ManualPublisher<int>> first_ = make_ref<ManualPublisher<int>>();
  Ref<ManualPublisher<int>> second_ = make_ref<ManualPublisher<int>>();
  Ref<Probe<int>> probe_ = make_ref<Probe<int>>();
  ErrorCode seen_ = ErrorCode::none;
};

TEST_F(OnErrorResumeTest, goes_on_with_the_demand_there_was) {
  probe_->request(1);
  first_->error(ErrorCode::timeout);
  EXPECT_EQ(seen_, ErrorCode::timeout);
  second_->next(5);
  second_->complete();
  EXPECT_EQ(probe_->signals, "nc");
  EXPECT_EQ(first_->spy->cancels, 0) << "it ended by itself";
}

TEST_F(OnErrorResumeTest, the_seconds_error_is_final) {
  first_->error(ErrorCode::timeout);
  second_->error(ErrorCode::db_error);
  EXPECT_EQ(probe_->errors.at(0).code, ErrorCode::db_error);
  EXPECT_EQ(second_->subscriptions, 1);
}

TEST_F(OnErrorResumeTest, a_throwing_function_replaces_the_error) {
  first_->error(ErrorCode::cancelled);
  EXPECT_EQ(probe_->signals, "e");
  EXPECT_EQ(probe_->errors.at(0).code, ErrorCode::wrong_answer);
}

TEST_F(OnErrorResumeTest, values_and_emptiness_pass) {
  first_->complete();
  EXPECT_EQ(probe_->signals, "c");
  EXPECT_EQ(seen_, ErrorCode::none);
}

TEST_F(OnErrorResumeTest, cancel_reaches_the_one_that_runs) {
  first_->error(ErrorCode::timeout);
  probe_->cancel();
  EXPECT_EQ(second_->spy->cancels, 1);
  EXPECT_EQ(first_->spy->cancels, 0);
}

}  // namespace
}  // namespace parkbench::reactive
