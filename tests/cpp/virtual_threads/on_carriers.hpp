#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "parkbench/virtual_threads/scheduler.hpp"

namespace parkbench::virtual_threads {

/// A scheduler per test that must have let go of every virtual thread at the end.
class WithScheduler : public testing::Test {
 protected:
  Scheduler& make(int carriers, Stealing stealing = Stealing::started, const Clock& clock = SteadyClock::instance()) {
    SchedulerOptions options;
    options.carriers = carriers;
    options.stealing = stealing;
    options.clock = &clock;
    scheduler_ = std::make_unique<Scheduler>(std::move(options));
    return *scheduler_;
  }
  Scheduler& scheduler() { return *scheduler_; }

  void TearDown() override {
    if (!scheduler_) return;
    scheduler_->stop();
    EXPECT_EQ(scheduler_->live(), 0) << "a virtual thread outlived its scheduler";
    EXPECT_EQ(scheduler_->uncaught_exceptions(), expected_uncaught_) << scheduler_->last_uncaught();
  }

  std::uint64_t expected_uncaught_ = 0;

 private:
  std::unique_ptr<Scheduler> scheduler_;
};

/// The same test on several shapes.
class OnCarriers : public WithScheduler, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override { make(GetParam()); }
};

}  // namespace parkbench::virtual_threads
