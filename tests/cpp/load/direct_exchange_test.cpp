#include "parkbench/load/direct_exchange.hpp"

#include <gtest/gtest.h>

namespace parkbench::load {
namespace {

struct Nobody final : Target {
  bool submit(std::span<measure::Request* const>) override { return false; }
};

TEST(DirectExchange, every_answer_tells_its_phases_unless_that_costs_something) {
  Nobody target;
  for (const bool all_timed : {true, false}) {
    AnswerQueue answers;
    DirectExchange exchange(target, answers, all_timed);
    measure::Request asked;
    asked.timed = true;
    measure::Request other;
    answers.push(asked);
    answers.push(other);
    ASSERT_EQ(exchange.take_all(), &asked);
    EXPECT_TRUE(asked.timed);
    EXPECT_EQ(other.timed, all_timed);
  }
}

}  // namespace
}  // namespace parkbench::load
