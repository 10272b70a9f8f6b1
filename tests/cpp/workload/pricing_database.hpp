#pragma once

#include <cstdint>
#include <string>

#include "parkbench/postgres/session.hpp"
#include "parkbench/workload/options.hpp"
#include "postgres/test_server.hpp"

namespace parkbench::workload::testing {

inline constexpr std::uint32_t kProducts = 300;

/// The test's own price of a product, calculated without the code under test.
inline std::int64_t expected_price(std::int64_t id) {
  const std::int64_t price = id * 37 + 5;
  const std::int64_t percent = id * 13 % 9'000;
  const std::int64_t exact = price * (10'000 - percent);  // in ten-thousandths of a minor unit
  return exact / 10'000 + (exact % 10'000 >= 5'000 ? 1 : 0);
}

/// The pricing tables on the test program's server, filled once.
inline const std::string& pricing_dsn() {
  static const std::string dsn = [] {
    postgres::Session session(postgres::testing::server().dsn());
    session.execute(
        "DROP SCHEMA IF EXISTS parkbench CASCADE; CREATE SCHEMA parkbench;"
        "CREATE TABLE parkbench.products(id bigint primary key, name text not null, price_minor bigint not null,"
        " discount_group int not null);"
        "CREATE TABLE parkbench.discounts(product_id bigint primary key, percent_hundredths int not null);"
        "INSERT INTO parkbench.products SELECT i, 'product ' || i, i * 37 + 5, i % 10 FROM generate_series(1, " +
        std::to_string(kProducts) +
        ") i;"
        "INSERT INTO parkbench.discounts SELECT i, i * 13 % 9000 FROM generate_series(1, " +
        std::to_string(kProducts) + ") i");
    return postgres::testing::server().text();
  }();
  return dsn;
}

inline Options pricing_options() {
  Options options;
  options.kind = Kind::pricing;
  options.dsn = pricing_dsn();
  options.products = kProducts;
  options.connections = 5;
  return options;
}

}  // namespace parkbench::workload::testing
