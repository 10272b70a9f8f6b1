#include "parkbench/reactive/task.hpp"

#include <gtest/gtest.h>

#include <array>

namespace parkbench::reactive {
namespace {

using Posted = Inbox::Posted;

struct Nothing final : Task {
  void run() override {}
};

class InboxTest : public testing::Test {
 protected:
  Posted push(std::size_t index) {
    Task* task = &tasks_.at(index);
    return inbox_.push({&task, 1});
  }
  /// The order in which the owner runs what is there.
  std::string order() {
    list_.append_reversed(inbox_.take());
    std::string text;
    while (Task* task = list_.pop()) text += std::to_string(static_cast<Nothing*>(task) - tasks_.data());
    return text;
  }
  std::array<Nothing, 6> tasks_;
  Inbox inbox_;
  TaskList list_;
};

TEST_F(InboxTest, keeps_the_order_of_single_tasks_and_batches) {
  push(0);
  const std::array<Task*, 3> batch{&tasks_[1], &tasks_[2], &tasks_[3]};
  EXPECT_EQ(inbox_.push(batch), Posted::queued);
  push(4);
  list_.push(tasks_[5]);
  EXPECT_EQ(order(), "501234");
  EXPECT_EQ(order(), "");
}

TEST_F(InboxTest, a_burst_wakes_a_sleeper_once) {
  ASSERT_TRUE(inbox_.begin_sleep());
  EXPECT_EQ(push(0), Posted::wake);
  EXPECT_EQ(push(1), Posted::queued);
  inbox_.end_sleep();
  EXPECT_EQ(order(), "01");
}

TEST_F(InboxTest, does_not_sleep_over_tasks) {
  push(0);
  EXPECT_FALSE(inbox_.begin_sleep());
  EXPECT_EQ(order(), "0");
  EXPECT_TRUE(inbox_.begin_sleep());
  inbox_.end_sleep();
  EXPECT_EQ(push(1), Posted::queued) << "awake again";
  order();
}

TEST_F(InboxTest, closes_only_when_empty_and_then_refuses) {
  push(0);
  EXPECT_FALSE(inbox_.close());
  order();
  EXPECT_TRUE(inbox_.close());
  EXPECT_EQ(push(1), Posted::refused);
  EXPECT_EQ(order(), "");
}

TEST_F(InboxTest, an_empty_batch_is_nothing) { EXPECT_EQ(inbox_.push({}), Posted::queued); }

}  // namespace
}  // namespace parkbench::reactive
