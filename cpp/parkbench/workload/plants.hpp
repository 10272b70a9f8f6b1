#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/workload/gateway/fifo_lock.hpp"
#include "parkbench/workload/options.hpp"
#include "parkbench/workload/pricing/price.hpp"
#include "parkbench/workload/request_memory.hpp"

namespace parkbench::workload {

struct Resources;

/// What the scenario plants in its requests, see Plant. Thread-safe.
class Plants {
 public:
  Plants(const Plant& plant, const Clock& clock) : plant_(plant), lock_(clock) {}

  /// Nearly always false: the one thing that an unplanted request pays for.
  bool any() const { return plant_.at_begin(); }
  /// At the begin of a request, with the phase cpu open, on whatever runs it. Carriers and loops are held, and say so
  /// (see Pinned): what blocks stays `cpu`, as an unknown blocking call of a handler does; waiting for the lock and
  /// holding it are `app_wait`. A worker of a pool, which is there to be blocked, waits by its waiter: `app_wait`.
  /// @param waiter of the worker; null on a loop.
  void begin(Resources& resources, measure::Request& request, io::Waiter* waiter);

  /// alloc_kib of memory, each page written. @throws std::bad_alloc where the planted limit leaves no room. The limit
  /// counts what requests hold; one of the kernel (RLIMIT_DATA) would hit libpq, asio and stacks as well.
  RequestMemory memory(std::uint32_t kib);

  /// hidden_cache: what was answered before.
  std::optional<pricing::Quote> cached(std::uint32_t product);
  /// The answer as the plant wants it; remembered by hidden_cache.
  pricing::Quote planted(std::uint32_t product, pricing::Quote quote);

 private:
  void block(Resources& resources, measure::Request& request, io::Waiter* waiter, Ns length);
  void lock(Resources& resources, measure::Request& request, io::Waiter* waiter);

  const Plant& plant_;
  std::atomic<std::uint64_t> requests_{0};
  std::atomic<std::int64_t> memory_{0};
  gateway::FifoLock lock_;  // of workers
  std::mutex kernel_lock_;  // of carriers and loops
  std::mutex cache_mutex_;  // guards cache_
  std::unordered_map<std::uint32_t, pricing::Quote> cache_;
};

}  // namespace parkbench::workload
