#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parkbench/base/error.hpp"
#include "parkbench/measure/process_usage.hpp"
#include "parkbench/models/model.hpp"
#include "parkbench/run/sampler.hpp"
#include "parkbench/server/server.hpp"

namespace parkbench::run {

/// Machine and process at the edges of the window.
struct Edge {
  Ns at = 0;
  measure::ProcessUsage process;
  measure::ThreadUsage generator;  // or whoever else of the harness stands there: it is taken off
  measure::ThreadUsage sampler;
  measure::HostCpu host;
  std::int64_t listen_overflows = -1;  // of the network namespace so far; negative: not available
  Sample sample;
};

/// What a server says of itself before the load.
struct Ready {
  std::int64_t resident_bytes = 0;
  std::uint16_t port = 0;
};

/// What a server's process says after the load, apart from the samples.
struct ServerFacts {
  Edge opened;
  Edge closed;
  models::Counters model;
  server::ServerCounters server;
  std::uint64_t table_reads = 0;  // of the two tables, as its statements were answered
  std::uint64_t table_rows = 0;
  Ns run_queue_delay = -1;  // of the model's threads in the window; negative: not available
  // By cause, in the window, as the server saw them; a client sees a status.
  std::array<std::uint64_t, kErrorCodes> errors_opened{};
  std::array<std::uint64_t, kErrorCodes> errors_closed{};
  int harness_threads = 0;  // of the process, but not of the model
  std::array<char, 32> guard_mode{};
};

/// CPU that the process used in the window, in seconds, without the threads that watched it.
double cpu_seconds(const ServerFacts& facts);

/// All of it, as it goes over the link.
struct ServerEvidence {
  ServerFacts facts;
  std::vector<Sample> looks;  // of the window
  std::vector<Sample> full;
  std::vector<std::pair<std::string, std::string>> error_texts;  // cause, first text

  std::vector<std::byte> packed() const;
  /// @throws Failure(internal) when the bytes are none.
  static ServerEvidence unpacked(std::span<const std::byte> bytes);
};

}  // namespace parkbench::run
