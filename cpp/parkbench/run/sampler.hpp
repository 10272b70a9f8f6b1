#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
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
  std::int64_t lock_waiting = 0;  // requests that wait for a lock of the application
  std::int64_t accept_queue = 0;  // connections that nobody has accepted yet
};

/// Takes a look at the model's own counters every 10 ms (a few microseconds), and at the process every 100 ms.
class Sampler {
 public:
  static constexpr Ns kLook = 10 * kMillisecond;
  static constexpr Ns kFull = 100 * kMillisecond;

  /// @param look fills in everything but process and at.
  /// @param run_queue_delay of the model's threads, asked for at the edges of the window; null: nobody wants to know.
  Sampler(const Clock& clock, std::function<Sample()> look,
          std::function<std::optional<Ns>()> run_queue_delay = nullptr);
  ~Sampler();

  void stop();
  /// CPU and context switches of the sampler's own thread so far, at most one look old.
  measure::ThreadUsage own_usage() const;

  /// The window opens or closes: the delay in the run queue is read here, on the sampler's thread, within a look's
  /// time, because it takes some microseconds for each thread. Thread-safe.
  void mark_edge() { edges_.fetch_add(1, std::memory_order_relaxed); }
  /// After stop(): the delay that came about between the first and the last edge, carried over to a window of this
  /// length. Empty when it was not marked twice or could not be read.
  std::optional<Ns> run_queue_delay(Ns window) const;

  /// Every look / the full samples taken so far.
  std::vector<Sample> looks() const;
  std::vector<Sample> full() const;

 private:
  void run();
  void read_delay();

  const Clock& clock_;
  const std::function<Sample()> look_;
  const std::function<std::optional<Ns>()> delay_;
  std::atomic<bool> stopping_{false};
  std::atomic<Ns> own_cpu_{0};
  std::atomic<std::uint64_t> own_switches_{0};
  std::atomic<std::uint64_t> own_involuntary_{0};
  std::atomic<int> edges_{0};
  Parker parker_;
  mutable std::mutex mutex_;  // guards the two lists
  std::vector<Sample> looks_;
  std::vector<Sample> full_;
  struct Delay {
    Ns at;
    std::optional<Ns> sum;
  };
  std::vector<Delay> delays_;  // at the edges seen; the sampler's own until it has stopped
  Thread thread_;
};

}  // namespace parkbench::run
