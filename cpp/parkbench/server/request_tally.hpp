#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "parkbench/base/clock.hpp"
#include "parkbench/service/route.hpp"

namespace parkbench::server {

/// Answered requests by route and outcome, with the time they took at the server; what micrometer calls
/// http.server.requests. Spread over cache lines by connection, so that two threads seldom count on the same one.
class RequestTally {
 public:
  enum class Outcome : std::uint8_t { success, client_error, server_error };
  static constexpr std::size_t kOutcomes = 3;

  /// One request. @param connection its ConnectionEntry::id. @param length from its last byte to its answer.
  void count(std::uint64_t connection, service::Route::Kind route, int status, Ns length) {
    Cell& cell = shards_[connection % kShards].cells[index(route, outcome_of(status))];
    cell.requests.fetch_add(1, std::memory_order_relaxed);
    cell.time.fetch_add(length, std::memory_order_relaxed);
  }
  /// One that the protocol answered (400, 408, 413 ...): it never was a whole request.
  void count_bad() { bad_.fetch_add(1, std::memory_order_relaxed); }

  struct Sum {
    std::uint64_t requests = 0;
    Ns time = 0;
  };
  Sum of(service::Route::Kind route, Outcome outcome) const {
    Sum sum;
    for (const Shard& shard : shards_) {
      const Cell& cell = shard.cells[index(route, outcome)];
      sum.requests += cell.requests.load(std::memory_order_relaxed);
      sum.time += cell.time.load(std::memory_order_relaxed);
    }
    return sum;
  }
  std::uint64_t requests() const {
    std::uint64_t sum = 0;
    for (const Shard& shard : shards_) {
      for (const Cell& cell : shard.cells) sum += cell.requests.load(std::memory_order_relaxed);
    }
    return sum;
  }
  std::uint64_t bad() const { return bad_.load(std::memory_order_relaxed); }

 private:
  struct Cell {
    std::atomic<std::uint64_t> requests{0};
    std::atomic<Ns> time{0};
  };
  static constexpr std::size_t kShards = 16;
  struct alignas(64) Shard {
    std::array<Cell, service::Route::kKinds * kOutcomes> cells;
  };
  static Outcome outcome_of(int status) {
    return status < 400 ? Outcome::success : status < 500 ? Outcome::client_error : Outcome::server_error;
  }
  static std::size_t index(service::Route::Kind route, Outcome outcome) {
    return static_cast<std::size_t>(route) * kOutcomes + static_cast<std::size_t>(outcome);
  }

  std::array<Shard, kShards> shards_{};
  std::atomic<std::uint64_t> bad_{0};
};

}  // namespace parkbench::server
