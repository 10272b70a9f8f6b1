#include "parkbench/workload/pricing/queries.hpp"

#include <gtest/gtest.h>

#include "parkbench/postgres/session.hpp"
#include "parkbench/workload/pricing/price.hpp"
#include "workload/pricing_database.hpp"

namespace parkbench::workload::pricing {
namespace {

TEST(Price, rounds_half_a_minor_unit_up_and_is_exact_for_large_sums) {
  EXPECT_EQ(final_price(1'000, 0), 1'000);
  EXPECT_EQ(final_price(1'000, 10'000), 0);
  EXPECT_EQ(final_price(1'001, 5'000), 501);
  EXPECT_EQ(final_price(3, 5'000), 2);
  EXPECT_EQ(final_price(999, 1'234), 876);
  EXPECT_EQ(final_price(900'000'000'000'000, 1), 899'910'000'000'000);
}

TEST(Queries, the_servers_own_calculation_agrees_with_ours) {
  postgres::Session session(postgres::Dsn::parse(testing::pricing_dsn()));
  const auto rows = session.execute(kExpectedPrices);
  ASSERT_EQ(rows.size(), testing::kProducts);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto id = static_cast<std::int64_t>(i + 1);
    EXPECT_EQ(std::stoll(*rows[i][0]), testing::expected_price(id)) << id;
    EXPECT_EQ(final_price(id * 37 + 5, id * 13 % 9'000), testing::expected_price(id)) << id;
  }
}

TEST(Queries, a_delay_adds_a_parameter_to_both_statements) {
  Options options;
  EXPECT_EQ(Queries(options).product.parameter_types.size(), 1U);
  EXPECT_EQ(parameters(options, 7).size(), 1);
  options.query_delay = 50 * kMillisecond;
  EXPECT_EQ(Queries(options).discount.parameter_types.size(), 2U);
  EXPECT_EQ(parameters(options, 7).size(), 2);
}

TEST(Queries, a_request_waits_in_line_no_longer_than_it_may_live) {
  Options options;
  options.acquire_timeout = 10;
  measure::Request request;
  EXPECT_EQ(acquire_deadline(options, request, 100).when(), 110);
  request.deadline = Deadline::at(105);
  EXPECT_EQ(acquire_deadline(options, request, 100).when(), 105);
}

TEST(Queries, a_missing_product_is_named) { EXPECT_NE(missing_product(17).find("17"), std::string::npos); }

}  // namespace
}  // namespace parkbench::workload::pricing
