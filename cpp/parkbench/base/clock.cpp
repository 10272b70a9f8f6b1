#include "parkbench/base/clock.hpp"

#include <ctime>

namespace parkbench {
namespace {

Ns read_clock(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<Ns>(t.tv_sec) * kSecond + t.tv_nsec;
}

}  // namespace

Ns SteadyClock::now() const { return read_clock(CLOCK_MONOTONIC); }

const SteadyClock& SteadyClock::instance() {
  static const SteadyClock clock;
  return clock;
}

Ns unix_time() { return read_clock(CLOCK_REALTIME); }

Ns thread_cpu_time() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

std::int64_t unix_seconds() { return read_clock(CLOCK_REALTIME_COARSE) / kSecond; }

}  // namespace parkbench
