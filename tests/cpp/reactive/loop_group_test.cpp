#include "parkbench/reactive/loop_group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace parkbench::reactive {
namespace {

TEST(LoopGroup, gives_its_loops_in_turn) {
  LoopGroup group(2);
  EXPECT_EQ(&group.next(), &group.loop(0));
  EXPECT_EQ(&group.next(), &group.loop(1));
  EXPECT_EQ(&group.next(), &group.loop(0));
  group.start();
  std::atomic<int> ran{0};
  for (int i = 0; i < 10; ++i) group.next().post([&] { ++ran; });
  group.stop();
  EXPECT_EQ(ran, 10);
  EXPECT_THROW(LoopGroup(0), std::invalid_argument);
}

}  // namespace
}  // namespace parkbench::reactive
