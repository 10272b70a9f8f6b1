#include "parkbench/run/sampler.hpp"

#include <algorithm>

namespace parkbench::run {

Sampler::Sampler(const Clock& clock, std::function<Sample()> look, std::function<std::optional<Ns>()> run_queue_delay)
    : clock_(clock),
      look_(std::move(look)),
      delay_(std::move(run_queue_delay)),
      thread_("sampler", [this] { run(); }) {}

Sampler::~Sampler() { stop(); }

void Sampler::stop() {
  stopping_.store(true, std::memory_order_release);
  parker_.unpark();
  thread_.join();
}

measure::ThreadUsage Sampler::own_usage() const {
  return {own_cpu_.load(std::memory_order_relaxed), own_switches_.load(std::memory_order_relaxed),
          own_involuntary_.load(std::memory_order_relaxed)};
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
    read_delay();
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
    own_involuntary_.store(own.involuntary_switches, std::memory_order_relaxed);
    next_look = std::max(next_look + kLook, sample.at);
    parker_.park(clock_, Deadline::at(next_look));
  }
  read_delay();  // the window may have closed a moment ago
}

void Sampler::read_delay() {
  const auto edges = static_cast<std::size_t>(edges_.load(std::memory_order_relaxed));
  if (!delay_ || delays_.size() >= edges) return;
  delays_.resize(edges, {clock_.now(), delay_()});
}

std::optional<Ns> Sampler::run_queue_delay(Ns window) const {
  if (delays_.size() < 2) return std::nullopt;
  const Delay& first = delays_.front();
  const Delay& last = delays_.back();
  if (!first.sum || !last.sum || last.at <= first.at) return std::nullopt;
  const double share = static_cast<double>(window) / static_cast<double>(last.at - first.at);
  return static_cast<Ns>(share * static_cast<double>(*last.sum - *first.sum));
}

}  // namespace parkbench::run
