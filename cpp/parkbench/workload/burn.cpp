#include "parkbench/workload/burn.hpp"

#include <algorithm>
#include <limits>

#include "parkbench/base/random.hpp"

namespace parkbench::workload {
namespace {

constexpr std::size_t kPage = 4096;

void spin(std::uint64_t iterations) {
  Random random(iterations);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) sum ^= random.next();
  // Keeps the loop: the compiler must assume that sum is read.
  asm volatile("" : : "r"(sum));
}

double measured_iterations_per_ns(const Clock& clock) {
  constexpr std::uint64_t kTrial = 200'000;
  constexpr int kTrials = 10;
  Ns fastest = std::numeric_limits<Ns>::max();  // the others were disturbed
  for (int i = 0; i < kTrials; ++i) {
    const Ns before = clock.now();
    spin(kTrial);
    fastest = std::min(fastest, std::max<Ns>(clock.now() - before, 1));
  }
  return static_cast<double>(kTrial) / static_cast<double>(fastest);
}

}  // namespace

Burner::Burner(Ns amount, const Clock& clock)
    : amount_(amount), iterations_per_ns_(measured_iterations_per_ns(clock)) {}

std::uint64_t Burner::iterations(Ns amount) const {
  return amount <= 0 ? 0 : static_cast<std::uint64_t>(static_cast<double>(amount) * iterations_per_ns_ + 0.5);
}

void Burner::burn(Ns amount) const {
  if (amount > 0) spin(iterations(amount));
}

std::vector<char> touched_memory(std::uint32_t kib) {
  std::vector<char> memory(std::size_t{kib} * 1024);
  for (std::size_t i = 0; i < memory.size(); i += kPage) memory[i] = 1;
  return memory;
}

}  // namespace parkbench::workload
