#include "parkbench/workload/pricing/queries.hpp"

namespace parkbench::workload::pricing {
namespace {

postgres::Statement statement(const char* name, const std::string& columns, const std::string& table,
                              const std::string& key, bool delayed) {
  postgres::Statement s;
  s.name = name;
  s.sql = "SELECT " + columns + " FROM " + (delayed ? "pg_sleep($2), " : "") + table + " WHERE " + key + " = $1";
  s.parameter_types = {postgres::kInt8};
  if (delayed) s.parameter_types.push_back(postgres::kFloat8);
  return s;
}

}  // namespace

Queries::Queries(const Options& options)
    : product(
          statement("parkbench_product", "id, name, price_minor", "parkbench.products", "id", options.query_delay > 0)),
      discount(statement("parkbench_discount", "percent_hundredths", "parkbench.discounts", "product_id",
                         options.query_delay > 0)),
      begin{"parkbench_begin", "BEGIN", {}},
      commit{"parkbench_commit", "COMMIT", {}} {}

postgres::Params parameters(const Options& options, std::uint32_t product) {
  const auto id = static_cast<std::int64_t>(product);
  if (options.query_delay <= 0) return postgres::Params(id);
  return postgres::Params(id, static_cast<double>(options.query_delay) / static_cast<double>(kSecond));
}

Deadline acquire_deadline(const Options& options, const measure::Request& request, Ns now) {
  return request.deadline.earlier(Deadline::at(now + options.acquire_timeout));
}

std::string missing_product(std::uint32_t product) {
  return "no product " + std::to_string(product) + ", or no discount for it, in schema parkbench";
}

const char* const kExpectedPrices =
    "SELECT (p.price_minor * (10000 - d.percent_hundredths) + 5000) / 10000"
    " FROM parkbench.products p JOIN parkbench.discounts d ON d.product_id = p.id ORDER BY p.id";

const char* const kTableReads =
    "SELECT sum(seq_scan + coalesce(idx_scan, 0))::bigint, sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint,"
    " sum(seq_scan)::bigint FROM pg_stat_user_tables"
    " WHERE schemaname = 'parkbench' AND relname IN ('products', 'discounts')";

}  // namespace parkbench::workload::pricing
