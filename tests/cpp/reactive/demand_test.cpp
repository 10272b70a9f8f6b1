#include "parkbench/reactive/demand.hpp"

#include <gtest/gtest.h>

namespace parkbench::reactive {
namespace {

TEST(Demand, adds_up_and_tells_who_delivers) {
  Demand demand;
  EXPECT_EQ(demand.add(2), 0);
  EXPECT_EQ(demand.add(3), 2);
  EXPECT_EQ(demand.produced(4), 1);
  EXPECT_EQ(demand.produced(1), 0);
  EXPECT_EQ(demand.add(1), 0) << "back at 0, the next request delivers";
}

TEST(Demand, required_3_17_saturates_for_ever) {
  for (const std::int64_t more : {std::int64_t{1}, std::int64_t{5}, kUnbounded}) {
    Demand demand;
    demand.add(kUnbounded - 1);
    demand.add(more);
    EXPECT_EQ(demand.held(), kUnbounded);
    EXPECT_EQ(demand.produced(1'000'000), kUnbounded);
    demand.add(7);
    EXPECT_EQ(demand.held(), kUnbounded);
  }
}

TEST(Demand, just_below_the_limit_still_counts) {
  Demand demand;
  demand.add(kUnbounded / 2);
  demand.add(kUnbounded / 2);
  EXPECT_EQ(demand.held(), kUnbounded - 1);
  EXPECT_EQ(demand.produced(1), kUnbounded - 2);
}

TEST(Demand, required_3_09_refusal_names_rule_and_number) {
  EXPECT_FALSE(Demand::valid(0));
  EXPECT_FALSE(Demand::valid(std::numeric_limits<std::int64_t>::min()));
  EXPECT_TRUE(Demand::valid(1));
  const Error error = Demand::refusal(-3);
  EXPECT_EQ(error.code, ErrorCode::internal);
  EXPECT_EQ(error.message, "request(-3): rule 3.9 asks for a positive number");
}

}  // namespace
}  // namespace parkbench::reactive
