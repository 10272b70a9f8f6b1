#include "parkbench/run/database_account.hpp"

namespace parkbench::run {

DatabaseAccount::DatabaseAccount(const Scenario& scenario, std::function<bool()> cancelled)
    : products_(scenario.workload.products), cancelled_(std::move(cancelled)) {
  if (scenario.workload.kind == workload::Kind::pricing) {
    witness_.emplace(postgres::Dsn::parse(scenario.workload.dsn), cancelled_);
  }
}

std::vector<std::int64_t> DatabaseAccount::open() {
  if (!witness_) return {};
  const auto before = witness_->table_reads();
  auto prices = witness_->expected_prices();
  if (prices.size() < products_) {
    throw Failure(ErrorCode::not_found, "schema parkbench holds " + std::to_string(prices.size()) + " of " +
                                            std::to_string(products_) + " products");
  }
  // Asking for the prices read the tables too, and is counted a little after its session has ended, all at once.
  if (before) reads_before_ = witness_->table_reads_at_least(before->reads + 1);
  return prices;
}

void DatabaseAccount::close(Report& report, std::uint64_t expected, std::uint64_t expected_rows) const {
  if (!witness_) return;
  report.database_reads_expected = expected;
  report.database_rows_expected = expected_rows;
  if (!reads_before_ || cancelled_()) return;
  try {
    const auto reads = witness_->table_reads_at_least(reads_before_->reads + static_cast<std::int64_t>(expected));
    if (!reads) return;
    report.database_reads = reads->reads - reads_before_->reads;
    if (reads->sequential == reads_before_->sequential) report.database_rows = reads->rows - reads_before_->rows;
  } catch (const Failure&) {
    // A database that is gone by now has failed requests to show; its counters stay "not available".
    report.database_reads.reset();
  }
}

}  // namespace parkbench::run
