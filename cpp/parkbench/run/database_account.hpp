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

  /// The final price of each product, in the order of the ids. Before the load, and before open().
  /// @throws Failure(not_found) when there are fewer products than the scenario asks for.
  std::vector<std::int64_t> expected_prices() const;
  /// Takes the server's counters before the load.
  void open();
  /// Fills in how often the tables were read, as the server counts it, to be compared with `expected`.
  void close(Report& report, std::uint64_t expected) const;

 private:
  const std::uint32_t products_;
  const std::function<bool()> cancelled_;
  std::optional<DatabaseWitness> witness_;
  std::optional<std::int64_t> reads_before_;
};

}  // namespace parkbench::run
