#include "parkbench/workload/resources.hpp"

#include "parkbench/io/blocking_waiter.hpp"
#include "parkbench/postgres/await_connection.hpp"

namespace parkbench::workload {

Resources::Resources(Options o, const Clock& c)
    : options(std::move(o)),
      clock(c),
      burner(options.cpu, clock),
      queries(options),
      gateway(options.gateway, clock),
      plants(options.plant, clock) {
  if (options.kind == Kind::pricing) {
    pool.emplace(postgres::Dsn::parse(options.dsn), options.connections, queries.all(), clock);
  }
  if (options.kind == Kind::file) file.emplace(options.file_kib);
}

void Resources::connect(Deadline deadline) {
  if (!pool) return;
  io::ThreadStateCell cell;
  io::WaitGauge gauge;
  io::BlockingWaiter waiter(clock, cell, gauge);
  postgres::open_all(*pool, waiter, deadline);
}

void Resources::close() {
  if (pool) pool->close();
  if (gateway.has_client()) gateway.client().close();
}

}  // namespace parkbench::workload
