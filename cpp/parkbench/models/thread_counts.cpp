#include "parkbench/models/thread_counts.hpp"

#include <algorithm>

namespace parkbench::models {
namespace {

void add_state(Counters& counters, const io::ThreadStateCell& cell) {
  ++counters.threads[static_cast<std::size_t>(cell.state.load(std::memory_order_relaxed))];
}

void add_waiting(Counters& counters, const io::WaitGauge& gauge) {
  for (std::size_t reason = 0; reason < gauge.waiting.size(); ++reason) {
    counters.requests_waiting[reason] += gauge.waiting[reason].load(std::memory_order_relaxed);
  }
}

}  // namespace

void add_thread(Counters& counters, const io::ThreadStateCell& cell, const io::WaitGauge& gauge) {
  add_state(counters, cell);
  add_waiting(counters, gauge);
}

void add_workers(Counters& counters, const thread_pool::ThreadPool& pool) {
  for (int worker = 0; worker < pool.workers(); ++worker) {
    add_thread(counters, pool.state(worker), pool.gauge(worker));
  }
}

void add_carriers(Counters& counters, const virtual_threads::Scheduler& scheduler) {
  for (const auto& cell : scheduler.cells()) add_state(counters, cell);
  for (const auto& gauge : scheduler.gauges()) add_waiting(counters, gauge);
  counters.steals = scheduler.steals_of_started();
}

void add_loops(Counters& counters, reactive::LoopGroup& loops) {
  for (std::size_t i = 0; i < loops.size(); ++i) {
    reactive::EventLoop& loop = loops.loop(i);
    add_thread(counters, loop.cell(), loop.gauge());
    const reactive::LoopLag::Seen lag = loop.lag().seen();
    counters.loop_looks += lag.looks;
    counters.loop_lag_sum += lag.sum;
    counters.loop_lag_most = std::max(counters.loop_lag_most, lag.most);
  }
}

void add_pins(Counters& counters, const workload::Resources& resources) {
  counters.pins = resources.pins.load(std::memory_order_relaxed);
  for (std::size_t section = 0; section < counters.pinned.size(); ++section) {
    counters.pinned[section] = resources.pinned[section].load(std::memory_order_relaxed);
  }
}

}  // namespace parkbench::models
