#pragma once

#include "parkbench/measure/latency_histogram.hpp"
#include "parkbench/measure/ledger.hpp"
#include "parkbench/measure/phase_samples.hpp"

namespace parkbench::load {

/// What the generator saw of the window.
struct LoadResult {
  explicit LoadResult(std::uint64_t seed) : samples(seed) {}

  measure::Ledger ledger;               // in_flight_at_end is filled in by whoever can ask the model
  measure::LatencyHistogram response;   // ok requests, from due time
  measure::LatencyHistogram from_send;  // ok requests, from send time
  measure::LatencyHistogram failed_response;
  measure::LatencyHistogram lateness;  // all sent requests
  // client_wait and lateness: sums over all ok requests; the others: over those of them whose phases are known (all of
  // a direct run, a sample over http).
  std::array<Ns, measure::kPhases> phases{};
  std::uint64_t timed = 0;  // how many those are
  Ns timed_from_send = 0;   // sum of their from-send times
  measure::PhaseSamples samples;
  Ns opened = 0;
  Ns closed = 0;
  std::uint64_t answers = 0;       // answers received for counted requests, late ones too
  std::uint64_t checked = 0;       // counted answers that were compared with what was expected, price, text or length
  std::uint64_t late_answers = 0;  // came after the generator had given up
  std::uint64_t abandoned = 0;     // counted requests given up and still not answered at the end
  double in_flight_integral = 0;   // requests x seconds inside the window, from the due time on
  std::uint64_t outstanding = 0;   // counted requests still waited for at the end
  std::uint64_t rounds = 0;
  Ns generator_cpu = 0;
  bool too_short = false;  // max_duration came before the window could carry its figures
  bool cancelled = false;
};

}  // namespace parkbench::load
