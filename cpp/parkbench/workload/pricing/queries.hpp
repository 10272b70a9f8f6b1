#pragma once

#include <string>
#include <vector>

#include "parkbench/base/deadline.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/postgres/statement.hpp"
#include "parkbench/workload/options.hpp"

namespace parkbench::workload::pricing {

/// The SQL of the workload, once.
struct Queries {
  postgres::Statement product;   // $1 id [, $2 seconds of delay] -> id, name, price_minor
  postgres::Statement discount;  // $1 product id [, $2 seconds of delay] -> percent_hundredths
  postgres::Statement begin;
  postgres::Statement commit;

  explicit Queries(const Options& options);
  std::vector<postgres::Statement> all() const { return {product, discount, begin, commit}; }
};

/// The values of one execution of product or discount.
postgres::Params parameters(const Options& options, std::uint32_t product);
/// How long a request may stand in the pool's line.
Deadline acquire_deadline(const Options& options, const measure::Request& request, Ns now);
std::string missing_product(std::uint32_t product);

/// The server's own calculation of every final price, in the order of the ids.
extern const char* const kExpectedPrices;
/// How often the two tables were read since the server's counters were reset: scans, rows that they fetched, and those
/// of the scans that read the whole table.
extern const char* const kTableReads;

}  // namespace parkbench::workload::pricing
