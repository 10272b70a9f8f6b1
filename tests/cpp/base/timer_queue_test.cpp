#include "parkbench/base/timer_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "parkbench/base/random.hpp"

namespace parkbench {
namespace {

TEST(TimerQueue, gives_back_in_the_order_of_their_times) {
  TimerQueue queue;
  std::deque<TimerNode> nodes(500);
  Random random(11);
  for (auto& node : nodes) queue.arm(node, random.below(1'000));
  Ns last = -1;
  std::size_t fired = 0;
  while (TimerNode* node = queue.pop_due(2'000)) {
    EXPECT_GE(node->due, last);
    EXPECT_FALSE(node->armed());
    last = node->due;
    ++fired;
  }
  EXPECT_EQ(fired, nodes.size());
}

TEST(TimerQueue, nothing_is_due_early) {
  TimerQueue queue;
  TimerNode node;
  queue.arm(node, 100);
  EXPECT_EQ(queue.pop_due(99), nullptr);
  EXPECT_EQ(queue.next().when(), 100);
  EXPECT_EQ(queue.pop_due(100), &node);
  EXPECT_TRUE(queue.next().is_never());
}

TEST(TimerQueue, cancelling_and_moving_keep_the_rest_in_order) {
  TimerQueue queue;
  std::deque<TimerNode> nodes(300);
  std::map<TimerNode*, Ns> expected;
  Random random(7);
  for (int step = 0; step < 20'000; ++step) {
    TimerNode& node = nodes[random.below(300)];
    if (random.below(3) == 0) {
      EXPECT_EQ(queue.cancel(node), expected.erase(&node) == 1);
    } else {
      const Ns due = random.below(100'000);
      queue.arm(node, due);
      expected[&node] = due;
    }
    ASSERT_EQ(queue.size(), expected.size());
    Ns least = Deadline::never().when();
    if (step % 100 == 0) {
      for (const auto& [_, due] : expected) least = std::min(least, due);
      ASSERT_EQ(queue.next().when(), least);
    }
  }
}

}  // namespace
}  // namespace parkbench
