#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "parkbench/run/database_witness.hpp"
#include "parkbench/run/report.hpp"
#include "parkbench/run/scenario.hpp"

namespace parkbench::run {

/// The database's side of a run's account; of a workload without a database it is empty.
class DatabaseAccount {
 public:
  /// @param cancelled asked while waiting.
  DatabaseAccount(const Scenario& scenario, std::function<bool()> cancelled);

  /// Before the load: takes the server's counters.
  /// @return the final price of each product, in the order of the ids.
  /// @throws Failure(not_found) when there are fewer products than the scenario asks for.
  std::vector<std::int64_t> open();
  /// Fills in how often the tables were read and how many rows came of it, as the server counts it, to be compared with
  /// what is expected. No rows where it chose to scan a whole table: it counts all that it has passed over.
  void close(Report& report, std::uint64_t expected, std::uint64_t expected_rows) const;

 private:
  const std::uint32_t products_;
  const std::function<bool()> cancelled_;
  std::optional<DatabaseWitness> witness_;
  std::optional<DatabaseWitness::Reads> reads_before_;
};

}  // namespace parkbench::run
