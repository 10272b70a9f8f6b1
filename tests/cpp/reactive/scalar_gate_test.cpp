#include "parkbench/reactive/scalar_gate.hpp"

#include <gtest/gtest.h>

#include "parkbench/base/thread.hpp"

namespace parkbench::reactive {
namespace {

using Stored = ScalarGate::Stored;

TEST(ScalarGate, demand_first_then_the_value_goes_through) {
  ScalarGate gate;
  EXPECT_FALSE(gate.request());
  EXPECT_TRUE(gate.deliver());
  EXPECT_TRUE(gate.ended());
  EXPECT_FALSE(gate.deliver());
  EXPECT_FALSE(gate.end());
}

TEST(ScalarGate, value_first_then_the_request_delivers_once) {
  ScalarGate gate;
  EXPECT_FALSE(gate.deliver());
  EXPECT_EQ(gate.stored(), Stored::kept);
  EXPECT_TRUE(gate.has_value());
  EXPECT_TRUE(gate.request());
  EXPECT_FALSE(gate.request());
}

TEST(ScalarGate, demand_between_the_two_steps_of_a_value) {
  ScalarGate gate;
  EXPECT_FALSE(gate.deliver());
  EXPECT_FALSE(gate.request());
  EXPECT_EQ(gate.stored(), Stored::deliver);
}

TEST(ScalarGate, after_the_end_a_value_is_refused) {
  ScalarGate gate;
  EXPECT_FALSE(gate.deliver());
  EXPECT_TRUE(gate.end());
  EXPECT_EQ(gate.stored(), Stored::refused);
  EXPECT_FALSE(gate.has_value());
  EXPECT_FALSE(gate.request());
}

TEST(ScalarGate, exactly_one_of_value_request_and_end_wins) {
  for (int round = 0; round < 500; ++round) {
    ScalarGate gate;
    std::atomic<int> winners{0};
    {
      const Thread one("value", [&] { winners += gate.deliver() || gate.stored() == Stored::deliver; });
      const Thread two("request", [&] { winners += gate.request(); });
      const Thread three("end", [&] { winners += gate.end(); });
    }
    ASSERT_EQ(winners, 1);
  }
}

}  // namespace
}  // namespace parkbench::reactive
