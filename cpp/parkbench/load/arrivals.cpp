#include "parkbench/load/arrivals.hpp"

#include <cmath>

#include "parkbench/base/random.hpp"

namespace parkbench::load {

Ns constant_due(double rate, std::uint64_t k) {
  // Multiplied, not added up: the rounding of a step of 333,333.3 ns would be a third of a millisecond after 1,000 s.
  return static_cast<Ns>(
      std::llroundl(static_cast<long double>(k) * static_cast<long double>(kSecond) / static_cast<long double>(rate)));
}

Ns poisson_gap(double rate, std::uint64_t seed, std::uint64_t k) {
  // Two rounds: seeds that differ by one step of the sequence must not give the same gaps one place further.
  const std::uint64_t hash = Random(Random(seed).next() ^ k * 0xD1342543DE82EF95U).next();
  const double uniform =
      (static_cast<double>(hash >> 11) + 0.5) * 0x1.0p-53;  // inside (0, 1), so the logarithm is finite
  return static_cast<Ns>(std::llround(-std::log(uniform) / rate * static_cast<double>(kSecond)));
}

OpenArrivals::OpenArrivals(const Arrivals& arrivals, std::uint64_t seed, Ns start)
    : arrivals_(arrivals), seed_(seed), start_(start), due_(start) {}

void OpenArrivals::advance() {
  due_ = arrivals_.kind == Arrivals::Kind::poisson ? due_ + poisson_gap(arrivals_.rate, seed_, number_)
                                                   : start_ + constant_due(arrivals_.rate, number_ + 1);
  ++number_;
}

}  // namespace parkbench::load
