#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "parkbench/base/thread.hpp"
#include "parkbench/run/execution.hpp"
#include "parkbench/run/report.hpp"
#include "parkbench/run/scenario.hpp"

namespace parkbench::run {

/// One scenario, executed once, on threads of its own: set up, warm up, measure, drain, stop.
class Run {
 public:
  explicit Run(Scenario scenario);
  /// Waits until the model holds nothing any more: at most the longest wait of a request.
  ~Run();

  /// @return true when the run is over.
  bool wait(Ns timeout);
  /// Thread-safe: nothing more is sent, waiting requests fail as cancelled, the report says incomplete.
  void cancel();

  enum class Stage : std::uint8_t { setup, warm_up, measure, drain, done };
  struct Progress {
    Stage stage = Stage::setup;
    double elapsed_s = 0;
    std::uint64_t ok = 0;
    std::uint64_t failed = 0;
    std::uint64_t in_flight = 0;
  };
  Progress progress() const;
  /// After the run is over.
  const Report& report() const { return report_; }

 private:
  void execute();

  const Scenario scenario_;
  const Clock& clock_;
  const Ns started_;
  std::unique_ptr<Execution> execution_;
  std::atomic<bool> generating_{false};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> over_{false};
  mutable std::mutex mutex_;  // guards the use of execution_ from other threads
  std::condition_variable ended_;
  Report report_;
  Thread thread_;
};

}  // namespace parkbench::run
