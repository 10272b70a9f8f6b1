#include "parkbench/workload/resources.hpp"

#include <vector>

#include "parkbench/io/blocking_waiter.hpp"
#include "parkbench/postgres/await_connection.hpp"

namespace parkbench::workload {

Resources::Resources(Options o, const Clock& c)
    : options(std::move(o)), clock(c), burner(options.cpu, clock), queries(options) {
  if (options.kind == Kind::pricing) {
    pool.emplace(postgres::Dsn::parse(options.dsn), options.connections, queries.all(), clock);
  }
}

void Resources::connect(Deadline deadline) {
  if (!pool) return;
  io::ThreadStateCell cell;
  io::WaitGauge gauge;
  io::BlockingWaiter waiter(clock, cell, gauge);
  measure::PhaseTrace unread;
  std::vector<postgres::Lease> all;
  for (int i = 0; i < options.connections; ++i) all.push_back(postgres::acquire(*pool, waiter, deadline, unread));
}

}  // namespace parkbench::workload
