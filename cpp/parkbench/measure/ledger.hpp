#pragma once

#include <array>
#include <cstdint>

#include "parkbench/base/error.hpp"
#include "parkbench/measure/request.hpp"

namespace parkbench::measure {

/// What became of every request that was due in the window. Each entry is counted where it happens, none is the rest
/// of the others, so that the equation below is a check.
struct Ledger {
  std::uint64_t scheduled = 0;  // counted when due
  std::uint64_t unsent = 0;     // due, but the run ended before it could be handed over
  std::uint64_t ok = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t in_flight_at_end = 0;  // the model's count of what it still holds
  std::array<std::uint64_t, kErrorCodes> failures{};

  void add(Outcome outcome, ErrorCode error) {
    switch (outcome) {
      case Outcome::ok:
        ++ok;
        return;
      case Outcome::rejected:
        ++rejected;
        break;
      case Outcome::timed_out:
        ++timed_out;
        break;
      case Outcome::failed:
      case Outcome::none:
        ++failed;
        break;
    }
    ++failures[static_cast<std::size_t>(error)];
  }
  /// scheduled = unsent + ok + rejected + failed + timed_out + in_flight_at_end
  bool balances() const { return scheduled == unsent + ok + rejected + failed + timed_out + in_flight_at_end; }
};

}  // namespace parkbench::measure
