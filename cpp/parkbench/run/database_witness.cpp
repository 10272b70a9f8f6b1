#include "parkbench/run/database_witness.hpp"

#include <utility>

#include "parkbench/base/parker.hpp"
#include "parkbench/postgres/session.hpp"
#include "parkbench/workload/pricing/queries.hpp"

namespace parkbench::run {

DatabaseWitness::DatabaseWitness(const postgres::Dsn& dsn, std::function<bool()> cancelled)
    : dsn_(dsn), cancelled_(std::move(cancelled)) {}

namespace {

postgres::Session open(const postgres::Dsn& dsn, const std::function<bool()>& cancelled) {
  return postgres::Session(dsn, postgres::Session::kConnectWithin, [&cancelled] {
    if (cancelled()) throw Failure(ErrorCode::cancelled, "cancelled during set-up");
  });
}

}  // namespace

std::vector<std::int64_t> DatabaseWitness::expected_prices() const {
  auto session = open(dsn_, cancelled_);
  std::vector<std::int64_t> prices;
  for (const auto& row : session.execute(workload::pricing::kExpectedPrices)) prices.push_back(std::stoll(*row.at(0)));
  return prices;
}

std::optional<DatabaseWitness::Reads> DatabaseWitness::table_reads() const {
  auto session = open(dsn_, cancelled_);
  const auto rows = session.execute(workload::pricing::kTableReads);
  if (rows.empty() || !rows[0].at(0)) return std::nullopt;
  return Reads{std::stoll(*rows[0][0]), std::stoll(*rows[0].at(1)), std::stoll(*rows[0].at(2))};
}

std::optional<DatabaseWitness::Reads> DatabaseWitness::table_reads_at_least(std::int64_t least) const {
  const Clock& clock = SteadyClock::instance();
  const Deadline patience = Deadline::at(clock.now() + kSecond);
  Parker parker;
  for (;;) {
    const auto reads = table_reads();
    if (!reads || reads->reads >= least || patience.passed(clock.now())) return reads;
    parker.park(clock, Deadline::at(clock.now() + 20 * kMillisecond));
  }
}

}  // namespace parkbench::run
