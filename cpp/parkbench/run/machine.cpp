#include "parkbench/run/machine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "parkbench/base/parker.hpp"
#include "parkbench/base/thread.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"

namespace parkbench::run {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Two threads wake each other in turn; half a round trip is one wake-up.
double ping_pong_us(int cpu_a, int cpu_b) {
  constexpr int kRounds = 400;
  const Clock& clock = SteadyClock::instance();
  Parker a;
  Parker b;
  std::vector<double> trips;
  Thread other("pong", [&] {
    pin_to_cpu(cpu_b);
    for (int i = 0; i < kRounds; ++i) {
      b.park(clock, Deadline::never());
      a.unpark();
    }
  });
  Thread self("ping", [&] {
    pin_to_cpu(cpu_a);
    for (int i = 0; i < kRounds; ++i) {
      const Ns begin = clock.now();
      b.unpark();
      a.park(clock, Deadline::never());
      trips.push_back(static_cast<double>(clock.now() - begin) / 2 / static_cast<double>(kMicrosecond));
    }
  });
  self.join();
  other.join();
  return median(trips);
}

}  // namespace

double clock_cost_ns() {
  constexpr int kReads = 1'000;
  const Clock& clock = SteadyClock::instance();
  std::vector<double> costs;
  for (int trial = 0; trial < 51; ++trial) {
    const Ns begin = clock.now();
    for (int i = 0; i < kReads; ++i) static_cast<void>(clock.now());
    costs.push_back(static_cast<double>(clock.now() - begin) / kReads);
  }
  return median(costs);
}

double clock_resolution_ns() {
  constexpr int kSteps = 10'000;
  const Clock& clock = SteadyClock::instance();
  Ns smallest = kSecond;
  Ns last = clock.now();
  for (int i = 0; i < kSteps; ++i) {
    const Ns now = clock.now();
    if (now > last) smallest = std::min(smallest, now - last);
    last = now;
  }
  return static_cast<double>(smallest);
}

WakeUpCost wake_up_cost() {
  const std::vector<int> cpus = usable_cpu_numbers();
  WakeUpCost cost;
  cost.same_core_us = ping_pong_us(cpus.at(0), cpus.at(0));
  if (cpus.size() > 1) cost.cross_core_us = ping_pong_us(cpus[0], cpus[1]);
  return cost;
}

std::string stack_guard_mode() { return std::string(virtual_threads::Scheduler({.carriers = 1}).guard_mode()); }

}  // namespace parkbench::run
