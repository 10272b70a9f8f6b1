#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "parkbench/base/parker.hpp"
#include "parkbench/base/thread.hpp"
#include "parkbench/measure/process_usage.hpp"
#include "parkbench/models/model.hpp"
#include "parkbench/postgres/connection_pool.hpp"

namespace parkbench::run {

/// The state of a run at one moment.
struct Sample {
  Ns at = 0;
  models::Counters model;
  postgres::PoolCounters pool;
  measure::ProcessUsage process;  // whole process
  std::uint64_t ok = 0;           // answers so far
  std::uint64_t in_flight = 0;    // as the generator sees it
};

/// Takes a look at the model's own counters every 10 ms (a few microseconds), and at the process every 100 ms.
class Sampler {
 public:
  static constexpr Ns kLook = 10 * kMillisecond;
  static constexpr Ns kFull = 100 * kMillisecond;

  /// @param look fills in everything but process and at.
  Sampler(const Clock& clock, std::function<Sample()> look);
  ~Sampler();

  void stop();
  /// CPU and context switches of the sampler's own thread so far, at most one look old.
  measure::ThreadUsage own_usage() const;

  /// Every look / the full samples taken so far.
  std::vector<Sample> looks() const;
  std::vector<Sample> full() const;

 private:
  void run();

  const Clock& clock_;
  const std::function<Sample()> look_;
  std::atomic<bool> stopping_{false};
  std::atomic<Ns> own_cpu_{0};
  std::atomic<std::uint64_t> own_switches_{0};
  Parker parker_;
  mutable std::mutex mutex_;  // guards the two lists
  std::vector<Sample> looks_;
  std::vector<Sample> full_;
  Thread thread_;
};

}  // namespace parkbench::run
