#pragma once

#include <cstdint>
#include <string>

#include "parkbench/base/clock.hpp"

namespace parkbench::workload {

/// noop: nothing; sleep: one wait of the application; pricing: product, discount, final price from PostgreSQL;
/// gateway: three filters and a downstream; cpu: computing; file: blocking reads; stream: server-sent events;
/// mixed: sleeps, most of them short.
enum class Kind : std::uint8_t { noop, sleep, pricing, gateway, cpu, file, stream, mixed };

/// What stands behind the gateway.
enum class Downstream : std::uint8_t {
  timer,  // nothing: the answer is made after the delay, without a call
  http,   // a server in a process of its own
};

/// How the gateway's filter holds a lock across the downstream call.
enum class FilterLock : std::uint8_t {
  none,
  pinning,  // a lock of the operating system: it holds the thread, the carrier or the loop (Java's old `synchronized`)
  parking,  // a lock of the model's own kind
};

/// How several downstream calls of one request follow each other.
enum class AggregateOrder : std::uint8_t { parallel, sequential };

/// How long the downstream takes; see delay_profile.hpp.
struct Delay {
  Ns base = 50 * kMillisecond;
  Ns jitter = 0;   // up to this on top, evenly, by the number of the request
  Ns ramp_to = 0;  // grows from base to this over ramp_time; 0: no ramp
  Ns ramp_time = 0;
  Ns slow = 0;        // brown-out: this instead of base ...
  Ns slow_from = 0;   // ... from so long after the window has opened ...
  Ns slow_until = 0;  // ... until then
};

struct GatewayOptions {
  Downstream downstream = Downstream::timer;
  std::string host = "127.0.0.1";  // of Downstream::http
  std::uint16_t port = 0;
  Delay delay;  // of Downstream::timer
  Ns downstream_timeout = 10 * kSecond;
  int downstream_connections = 0;  // most at once to the downstream; 0: no limit
  FilterLock filter_lock = FilterLock::none;
  int aggregate = 1;  // downstream calls of one request
  AggregateOrder aggregate_order = AggregateOrder::parallel;
  std::int64_t bulkhead = 0;  // most requests at the downstream at once, more: 503; 0: none
  bool circuit_breaker = false;
  std::string token;                // `Authorization: Bearer` that is asked for; empty: none
  double rate_limit = 1'000'000.0;  // requests/s of the token bucket; more: 429
};

/// How long a request keeps the connection it has taken from the pool.
enum class ConnectionHold : std::uint8_t {
  statement,    // back after each statement
  request,      // from first use to the reply, also while the application waits (Spring's open-in-view)
  transaction,  // from BEGIN to COMMIT around both statements
};

/// Where the application waits by itself.
enum class AppWaitAt : std::uint8_t { between, after };  // the two statements

/// Causes that tests and the exam of the diagnosis plant in a run; no option of a user. 0 or false: not planted.
struct Plant {
  Ns gap = 0;    // pricing: a sleep that belongs to no phase
  Ns stall = 0;  // every stall_every-th request blocks whatever runs it, worker, carrier or loop, for so long
  std::uint64_t stall_every = 1;
  Ns pin = 0;                       // every request does
  Ns lock = 0;                      // every request holds the process's one lock for so long
  std::int64_t memory = 0;          // bytes that the alloc_kib of all requests may take together; more: out_of_memory
  std::int64_t constant_price = 0;  // pricing: the answer to everything
  bool hidden_cache = false;        // pricing: a product is asked for once, later requests only say that they have read

  /// Something happens at the begin of a request.
  bool at_begin() const { return stall > 0 || pin > 0 || lock > 0; }
};

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

  GatewayOptions gateway;
  std::uint32_t file_kib = 64;   // file: read per request
  std::uint32_t rows = 100;      // stream: events per request
  Ns row_every = 0;              // stream: between two events; 0: as fast as the reader takes them
  Ns fast = 5 * kMillisecond;    // mixed: 95 of 100 requests sleep this long ...
  Ns slow = 500 * kMillisecond;  // ... and the others this long
  double slow_share = 0.05;

  Plant plant;
};

}  // namespace parkbench::workload
