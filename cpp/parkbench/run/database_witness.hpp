#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "parkbench/postgres/dsn.hpp"

namespace parkbench::run {

/// The server's own view of the pricing tables, read over a session of its own, before and after the load.
class DatabaseWitness {
 public:
  /// @param cancelled asked while waiting; true ends the wait with Failure(cancelled).
  DatabaseWitness(const postgres::Dsn& dsn, std::function<bool()> cancelled);

  /// Every final price in the order of the ids, calculated by the server.
  /// @throws Failure when the tables cannot be read.
  std::vector<std::int64_t> expected_prices() const;
  struct Reads {
    std::int64_t reads = 0;       // index and sequential scans of the two tables
    std::int64_t rows = 0;        // that the scans fetched
    std::int64_t sequential = 0;  // scans that read a whole table, whatever they were to find
  };
  /// How often the two tables were read; nothing when the server keeps no such counter.
  std::optional<Reads> table_reads() const;
  /// The same, once the server's counter has reached at least `least` or a second has passed: its processes report
  /// their counts a little after they end.
  std::optional<Reads> table_reads_at_least(std::int64_t least) const;

 private:
  postgres::Dsn dsn_;
  std::function<bool()> cancelled_;
};

}  // namespace parkbench::run
