#pragma once

#include <cstdint>
#include <string>

#include "parkbench/base/clock.hpp"

namespace parkbench::workload {

/// noop: nothing; sleep: one wait of the application; pricing: product, discount, final price from PostgreSQL.
enum class Kind : std::uint8_t { noop, sleep, pricing };

/// How long a request keeps the connection it has taken from the pool.
enum class ConnectionHold : std::uint8_t {
  statement,    // back after each statement
  request,      // from first use to the reply, also while the application waits (Spring's open-in-view)
  transaction,  // from BEGIN to COMMIT around both statements
};

/// Where the application waits by itself.
enum class AppWaitAt : std::uint8_t { between, after };  // the two statements

/// What one request does; equal for all models unless a scenario sets it per model.
struct Options {
  Kind kind = Kind::pricing;
  Ns sleep = 300 * kMillisecond;

  Ns query_delay = 0;  // spent by the server in each of the two statements
  ConnectionHold connection_hold = ConnectionHold::statement;
  Ns app_wait = 0;
  AppWaitAt app_wait_at = AppWaitAt::between;
  Ns cpu = 0;                   // computing per request
  std::uint32_t alloc_kib = 0;  // allocated and touched per request, freed with the reply
  Ns acquire_timeout = 30 * kSecond;

  int connections = 10;
  std::string dsn;
  std::uint32_t products = 10'000;

  Ns plant_gap = 0;  // tests only: a sleep that belongs to no phase
};

}  // namespace parkbench::workload
