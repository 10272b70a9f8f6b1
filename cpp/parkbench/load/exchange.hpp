#pragma once

#include <span>

#include "parkbench/base/deadline.hpp"
#include "parkbench/measure/request.hpp"

namespace parkbench::load {

/// How the generator's requests go out and their answers come back. Used by the generator's thread alone, except
/// poke().
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Takes the batch, at most batch() requests. Each comes back once through take_all().
  /// @return true when it held the caller back.
  virtual bool submit(std::span<measure::Request* const> batch) = 0;
  /// Most requests of one submit, sent with one stamp.
  virtual std::size_t batch() const = 0;

  /// Answers that are there, linked by Request::next, the first one first; null when there is none.
  virtual measure::Request* take_all() = 0;
  /// take_all() would give nothing.
  virtual bool empty() const = 0;
  /// True: answer_ready is when the generator had the answer. False: that is when it took it.
  virtual bool stamps_answers() const = 0;
  /// Sleeps until empty() may be false, poke() is called or the deadline passes.
  virtual void wait(const Clock& clock, Deadline deadline) = 0;
  /// Makes a wait in progress, or the next one, return. Thread-safe.
  virtual void poke() = 0;

  /// The generator gives a request up because its time is up. True: it is the generator's again, request.error says
  /// what the time was lost on. False: its answer will come, late.
  virtual bool abandon(measure::Request& request) = 0;
};

}  // namespace parkbench::load
