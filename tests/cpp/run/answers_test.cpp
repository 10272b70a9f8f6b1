#include "parkbench/run/answers.hpp"

#include <gtest/gtest.h>

#include "run/scenarios.hpp"

namespace parkbench::run {
namespace {

TEST(Answers, the_three_models_give_the_same_right_prices) {
  std::vector<std::int64_t> expected;
  for (std::uint32_t id = 1; id <= workload::testing::kProducts; ++id) {
    expected.push_back(workload::testing::expected_price(id));
  }
  for (const auto model : {ModelKind::thread_pool, ModelKind::virtual_threads, ModelKind::reactive}) {
    EXPECT_EQ(answers(testing::quick(model, workload::Kind::pricing)), expected) << testing::name_of(model);
  }
}

TEST(Answers, a_request_that_fails_is_named_with_its_product) {
  Scenario scenario = testing::quick(ModelKind::thread_pool, workload::Kind::pricing);
  scenario.workload.products += 1;
  try {
    answers(scenario);
    FAIL() << "a product that does not exist has a price";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::not_found);
    EXPECT_NE(std::string(failure.what()).find("301"), std::string::npos);
  }
}

}  // namespace
}  // namespace parkbench::run
