#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "parkbench/postgres/connection_pool.hpp"
#include "parkbench/workload/burn.hpp"
#include "parkbench/workload/file/temporary_file.hpp"
#include "parkbench/workload/first_errors.hpp"
#include "parkbench/workload/gateway/gateway.hpp"
#include "parkbench/workload/options.hpp"
#include "parkbench/workload/pin_section.hpp"
#include "parkbench/workload/plants.hpp"
#include "parkbench/workload/pricing/queries.hpp"

namespace parkbench::workload {

/// What the requests of a run share.
struct Resources {
  /// Opens the database pool where the workload has one; connections are opened by connect().
  Resources(Options options, const Clock& clock);

  /// Opens every connection, so that the load does not meet cold ones.
  /// @throws Failure(db_connect, db_error)
  void connect(Deadline deadline);
  /// Closes the connections to the database and the downstream. Before the models' threads are gone: their pollers know
  /// of them.
  void close();

  const Options options;
  const Clock& clock;
  const Burner burner;
  const pricing::Queries queries;
  std::optional<postgres::ConnectionPool> pool;
  gateway::Gateway gateway;
  std::optional<file::TemporaryFile> file;  // of the workload file
  FirstErrors errors;
  Plants plants;
  std::atomic<std::uint64_t> table_reads{0};  // statements answered by the two tables, to be compared with the server's
  std::atomic<std::uint64_t> table_rows{0};   // what they gave
  std::atomic<std::uint64_t> pins{0};         // blocking calls that held a carrier or a loop; see Pinned
  std::array<std::atomic<Ns>, kPinSections> pinned{};  // how long, by section
  std::atomic<std::int64_t> lock_waiting{0};           // requests that wait for a lock of the application
  std::atomic<Ns> window_opened{0};                    // 0: not yet, the downstream's delay is the base then
};

/// Statements that the two tables have answered, and the rows that came.
inline void count_reads(Resources& resources, std::uint64_t reads, std::uint64_t rows) {
  resources.table_reads.fetch_add(reads, std::memory_order_relaxed);
  resources.table_rows.fetch_add(rows, std::memory_order_relaxed);
}

}  // namespace parkbench::workload
