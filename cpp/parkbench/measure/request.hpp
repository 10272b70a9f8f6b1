#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "parkbench/base/deadline.hpp"
#include "parkbench/base/error.hpp"
#include "parkbench/measure/phase.hpp"

namespace parkbench::measure {

enum class Outcome : std::uint8_t { none, ok, rejected, failed, timed_out };

/// One request: the generator's plan, the model's stamps, the outcome. Owned by the generator; between submit and
/// answer only the model touches it.
struct Request {
  // The generator's part.
  std::uint64_t number = 0;  // in the order of due times, from 0
  std::uint32_t user = 0;
  std::uint32_t product = 0;  // 1..products
  Ns due = 0;
  Ns sent = 0;
  bool counted = false;    // due inside the window
  bool abandoned = false;  // timed out at the generator, its answer is late
  bool checked = false;    // the answer was compared with what it should be, well or not
  bool timed = false;      // its phases are asked for; once answered: trace holds those of the side that answers
  Deadline deadline = Deadline::never();

  // The model's part.
  Ns accepted = 0;      // the model took it
  Ns answer_ready = 0;  // the handler was done
  PhaseTrace trace;
  Outcome outcome = Outcome::none;
  ErrorCode error = ErrorCode::none;
  std::int64_t answer = 0;  // final price in minor units

  Request* next = nullptr;  // link of whichever list holds it

  /// Room for the model's own record of the request (a task, a start argument), so that handing over allocates nothing.
  alignas(std::max_align_t) std::array<std::byte, 48> model_record{};

  void succeed(std::int64_t value) {
    outcome = Outcome::ok;
    answer = value;
  }
  void fail(ErrorCode code) {
    error = code;
    outcome = code == ErrorCode::rejected  ? Outcome::rejected
              : code == ErrorCode::timeout ? Outcome::timed_out
                                           : Outcome::failed;
  }
};

}  // namespace parkbench::measure
