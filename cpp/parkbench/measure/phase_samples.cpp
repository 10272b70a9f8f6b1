#include "parkbench/measure/phase_samples.hpp"

#include <algorithm>

namespace parkbench::measure {
namespace {

bool slower(const PhaseSample& a, const PhaseSample& b) { return a.response > b.response; }

}  // namespace

void PhaseSamples::add(Ns response, const PhaseTrace& trace) {
  ++seen_;
  if (slowest_.size() < kKept) {
    slowest_.push_back({response, trace.all()});
    std::push_heap(slowest_.begin(), slowest_.end(), slower);
  } else if (response > slowest_.front().response) {
    std::pop_heap(slowest_.begin(), slowest_.end(), slower);
    slowest_.back() = {response, trace.all()};
    std::push_heap(slowest_.begin(), slowest_.end(), slower);
  }
  if (sample_.size() < kKept) {
    sample_.push_back({response, trace.all()});
  } else if (const std::uint64_t place = random_.next() % seen_; place < kKept) {
    sample_[place] = {response, trace.all()};
  }
}

}  // namespace parkbench::measure
