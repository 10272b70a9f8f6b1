#include "parkbench/run/sampler.hpp"

#include <algorithm>

namespace parkbench::run {

Sampler::Sampler(const Clock& clock, std::function<Sample()> look)
    : clock_(clock), look_(std::move(look)), thread_("sampler", [this] { run(); }) {}

Sampler::~Sampler() { stop(); }

void Sampler::stop() {
  stopping_.store(true, std::memory_order_release);
  parker_.unpark();
  thread_.join();
}

measure::ThreadUsage Sampler::own_usage() const {
  return {own_cpu_.load(std::memory_order_relaxed), own_switches_.load(std::memory_order_relaxed)};
}

std::vector<Sample> Sampler::looks() const {
  const std::lock_guard lock(mutex_);
  return looks_;
}

std::vector<Sample> Sampler::full() const {
  const std::lock_guard lock(mutex_);
  return full_;
}

void Sampler::run() {
  Ns next_look = clock_.now();
  Ns next_full = next_look;
  while (!stopping_.load(std::memory_order_acquire)) {
    Sample sample = look_();
    sample.at = clock_.now();
    const bool full = sample.at >= next_full;
    if (full) {
      sample.process = measure::read_process_usage();
      next_full += kFull;
    }
    {
      const std::lock_guard lock(mutex_);
      looks_.push_back(sample);
      if (full) full_.push_back(sample);
    }
    const measure::ThreadUsage own = measure::read_thread_usage();
    own_cpu_.store(own.cpu, std::memory_order_relaxed);
    own_switches_.store(own.context_switches, std::memory_order_relaxed);
    next_look = std::max(next_look + kLook, sample.at);
    parker_.park(clock_, Deadline::at(next_look));
  }
}

}  // namespace parkbench::run
