#include "parkbench/workload/delay_profile.hpp"

#include <algorithm>

#include "parkbench/base/random.hpp"

namespace parkbench::workload {
namespace {

Ns ramped(const Delay& delay, Ns since_opened) {
  if (delay.ramp_to <= 0 || since_opened <= 0) return delay.base;
  if (since_opened >= delay.ramp_time) return delay.ramp_to;
  const double share = static_cast<double>(since_opened) / static_cast<double>(delay.ramp_time);
  return delay.base + static_cast<Ns>(share * static_cast<double>(delay.ramp_to - delay.base));
}

bool browned_out(const Delay& delay, Ns since_opened) {
  return delay.slow > 0 && since_opened >= delay.slow_from && since_opened >= 0 && since_opened < delay.slow_until;
}

/// Evenly from 0 to most, both included.
Ns jitter_of(Ns most, std::uint64_t number) {
  if (most <= 0) return 0;
  return static_cast<Ns>(Random(number).next() % (static_cast<std::uint64_t>(most) + 1));
}

}  // namespace

Ns delay_of(const Delay& delay, std::uint64_t number, Ns since_opened) {
  const Ns length = browned_out(delay, since_opened) ? delay.slow : ramped(delay, since_opened);
  return std::max<Ns>(0, length) + jitter_of(delay.jitter, number);
}

}  // namespace parkbench::workload
