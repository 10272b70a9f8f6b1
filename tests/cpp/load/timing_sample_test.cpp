#include "parkbench/load/timing_sample.hpp"

#include <gtest/gtest.h>

namespace parkbench::load {
namespace {

TEST(TimingSample, asks_all_until_there_are_more_than_it_needs) {
  TimingSample sample(1);
  EXPECT_TRUE(sample.chosen(0) && sample.chosen(1) && sample.chosen(2));
  sample.expect(500);
  EXPECT_EQ(sample.one_in(), 1U);
  sample.expect(100'000);
  EXPECT_EQ(sample.one_in(), 50U);
}

TEST(TimingSample, takes_its_share_in_no_step) {
  TimingSample sample(7);
  sample.expect(20'000);
  int chosen = 0;
  int of_every_tenth = 0;
  for (std::uint64_t number = 0; number < 100'000; ++number) {
    chosen += sample.chosen(number) ? 1 : 0;
    of_every_tenth += number % 10 == 0 && sample.chosen(number) ? 1 : 0;
  }
  EXPECT_NEAR(chosen, 10'000, 400);         // 4 sigma
  EXPECT_NEAR(of_every_tenth, 1'000, 130);  // as of any other tenth
}

}  // namespace
}  // namespace parkbench::load
