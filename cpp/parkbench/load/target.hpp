#pragma once

#include <span>

#include "parkbench/measure/request.hpp"

namespace parkbench::load {

/// What takes the requests. Each is answered once, through the generator's AnswerQueue, from any thread.
class Target {
 public:
  virtual ~Target() = default;
  /// Takes the batch.
  /// @return true when it held the caller back (a full queue under the policies block and caller_runs).
  virtual bool submit(std::span<measure::Request* const> batch) = 0;
};

}  // namespace parkbench::load
