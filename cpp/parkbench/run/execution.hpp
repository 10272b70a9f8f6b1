#pragma once

#include <atomic>

#include "parkbench/load/generator.hpp"
#include "parkbench/run/report.hpp"

namespace parkbench::run {

/// How a run is carried out: by a model in this process, or by servers in others. Used by the run's thread, except
/// where said; its destructor takes everything down and waits for the model.
class Execution {
 public:
  virtual ~Execution() = default;
  /// @throws Failure with the reason why there can be no run.
  virtual void set_up() = 0;
  /// After set_up(); cancel() and progress() of it are for any thread.
  virtual load::Generator& generator() = 0;
  /// Thread-safe: requests that wait for a connection, of the database or to the downstream, fail.
  virtual void fail_waiting() = 0;
  /// After the generator has ended: the figures, without a status.
  /// @throws Failure when they cannot be had any more.
  virtual Report evaluate() = 0;
};

/// What the report says of how the run went: ok, too_short, incomplete, "failed: WHY".
std::string status_of(const Report& report, const load::LoadResult& load);

}  // namespace parkbench::run
