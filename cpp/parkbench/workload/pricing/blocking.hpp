#pragma once

#include <algorithm>

#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/postgres/await_connection.hpp"
#include "parkbench/postgres/await_query.hpp"
#include "parkbench/workload/app_wait.hpp"
#include "parkbench/workload/pricing/price.hpp"
#include "parkbench/workload/resources.hpp"

/// The pricing request as straight-line code: product, discount, final price. thread_pool and virtual_threads both
/// run this very file; the waiter decides whether a wait blocks the thread or parks.
namespace parkbench::workload::pricing {

class BlockingPricing {
 public:
  BlockingPricing(Resources& resources, measure::Request& request, io::Waiter& waiter)
      : resources_(resources), options_(resources.options), request_(request), waiter_(waiter) {}

  /// @return the final price in minor units. @throws Failure
  std::int64_t run() { return quote().final_minor; }

  /// @throws Failure
  Quote quote() {
    const auto memory = resources_.plants.memory(options_.alloc_kib);
    if (auto known = resources_.plants.cached(request_.product)) {
      count_reads(resources_, 2, 2);
      return *known;
    }
    if (options_.connection_hold == ConnectionHold::transaction) execute(resources_.queries.begin, {});

    const Product product = find_product();
    if (options_.app_wait_at == AppWaitAt::between) wait();
    const std::int64_t percent = find_discount();

    if (options_.connection_hold == ConnectionHold::transaction) {
      execute(resources_.queries.commit, {});
      lease_.release();
    }
    if (options_.app_wait_at == AppWaitAt::after) wait();
    resources_.burner.burn();
    return resources_.plants.planted(request_.product, quote_of(product, percent));
  }

 private:
  Product find_product() {
    const postgres::Rows rows = read(resources_.queries.product);
    plant_gap(waiter_, options_.plant.gap, request_.trace);
    return {rows[0].int64(0), rows[0].int64(2)};
  }

  std::int64_t find_discount() { return read(resources_.queries.discount)[0].int32(0); }

  postgres::Rows read(const postgres::Statement& statement) {
    postgres::Rows rows = execute(statement, parameters(options_, request_.product));
    count_reads(resources_, 1, static_cast<std::uint64_t>(rows.size()));
    if (rows.empty()) throw Failure(ErrorCode::not_found, missing_product(request_.product));
    return rows;
  }

  /// Takes a connection unless one is held, and gives it back unless it is to be held.
  postgres::Rows execute(const postgres::Statement& statement, const postgres::Params& params) {
    if (!lease_) {
      const Deadline patience = acquire_deadline(options_, request_, waiter_.clock().now());
      lease_ = postgres::acquire(*resources_.pool, waiter_, patience, request_.trace);
    }
    postgres::Rows rows = postgres::await_query(*lease_, statement, params, waiter_, request_.deadline, request_.trace);
    if (options_.connection_hold == ConnectionHold::statement) lease_.release();
    return rows;
  }

  void wait() { app_wait(waiter_, options_.app_wait, request_.trace); }

  Resources& resources_;
  const Options& options_;
  measure::Request& request_;
  io::Waiter& waiter_;
  postgres::Lease lease_;
};

}  // namespace parkbench::workload::pricing
