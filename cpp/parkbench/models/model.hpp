#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "parkbench/io/thread_state.hpp"
#include "parkbench/io/wait_gauge.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/workload/pin_section.hpp"

namespace parkbench::models {

/// Where a model puts an answered request. Thread-safe; each request exactly once.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void answer(measure::Request& request) = 0;
};

/// A model's own figures at one moment.
struct Counters {
  std::array<std::int64_t, io::kThreadStates> threads{};  // by ThreadState; they add up to the model's threads
  std::array<std::int64_t, io::kWaitReasons> requests_waiting{};
  std::int64_t queued = 0;            // accepted, handler not begun
  std::int64_t held = 0;              // accepted, not answered
  std::int64_t accepted_counted = 0;  // of the window
  std::int64_t answered_counted = 0;
  std::uint64_t steals = 0;  // virtual_threads: runnable, started threads taken by another carrier
  std::uint64_t pins = 0;    // blocking calls that held a carrier or a loop
  std::array<Ns, workload::kPinSections> pinned{};  // how long, by section
  std::uint64_t loop_looks = 0;                     // reactive: how late a loop was, looked at so often
  Ns loop_lag_sum = 0;
  Ns loop_lag_most = 0;  // since the window opened
};

/// The threads of a model at work, whoever feeds them: what a run samples.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual Counters counters() const = 0;
  /// The window opens: what is counted as the most since then begins anew. From any thread.
  virtual void begin_window() {}
  /// How the stacks of virtual threads are guarded; empty for models that have none.
  virtual std::string_view guard_mode() const { return {}; }
  /// Kernel ids of the model's threads, for the cross-check with /proc.
  virtual std::vector<int> thread_ids() const = 0;
  /// Waits until everything accepted is answered, then ends the threads.
  virtual void stop() = 0;
};

/// One way to execute requests: takes them in batches, answers each once through the sink.
class Model : public Runtime {
 public:
  /// @return true when the caller was held back (thread_pool with a full queue and policy block or caller_runs).
  virtual bool submit(std::span<measure::Request* const> batch) = 0;
};

}  // namespace parkbench::models
