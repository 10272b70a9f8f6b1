#include "parkbench/run/database_witness.hpp"

#include <gtest/gtest.h>

#include "parkbench/postgres/session.hpp"
#include "workload/pricing_database.hpp"

namespace parkbench::run {
namespace {

TEST(DatabaseWitness, knows_every_price) {
  const DatabaseWitness witness(postgres::Dsn::parse(workload::testing::pricing_dsn()), [] { return false; });
  const auto before = witness.table_reads();
  const auto prices = witness.expected_prices();
  ASSERT_EQ(prices.size(), workload::testing::kProducts);
  EXPECT_EQ(prices[16], workload::testing::expected_price(17));
  witness.table_reads_at_least(before->reads + 1);  // or they would be counted within the next test
}

TEST(DatabaseWitness, counts_reads_that_others_made) {
  const auto dsn = postgres::Dsn::parse(workload::testing::pricing_dsn());
  const DatabaseWitness witness(dsn, [] { return false; });
  const auto before = witness.table_reads();
  ASSERT_TRUE(before.has_value());
  {
    postgres::Session session(dsn);
    for (int i = 0; i < 7; ++i) session.execute("SELECT * FROM parkbench.products WHERE id = 3");
  }
  const auto after = witness.table_reads_at_least(before->reads + 7);
  ASSERT_TRUE(after.has_value());
  EXPECT_EQ(after->reads, before->reads + 7);
  const auto scanned = after->sequential - before->sequential;
  EXPECT_TRUE(scanned == 0 || scanned == 7) << "the server's choice, but always the same one";
  EXPECT_EQ(after->rows - before->rows, scanned == 0 ? 7 : 7 * std::int64_t{workload::testing::kProducts});
}

TEST(DatabaseWitness, a_database_that_is_not_there_is_a_failure) {
  const DatabaseWitness witness(postgres::Dsn::parse("host=/nonexistent"), [] { return false; });
  EXPECT_THROW(witness.expected_prices(), Failure);
}

}  // namespace
}  // namespace parkbench::run
