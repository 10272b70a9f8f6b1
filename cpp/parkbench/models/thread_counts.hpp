#pragma once

#include "parkbench/models/model.hpp"
#include "parkbench/reactive/loop_group.hpp"
#include "parkbench/thread_pool/thread_pool.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"
#include "parkbench/workload/resources.hpp"

/// What the threads of a model do now, added to its counters: the same for a model and for the server made of it.
namespace parkbench::models {

void add_thread(Counters& counters, const io::ThreadStateCell& cell, const io::WaitGauge& gauge);
void add_workers(Counters& counters, const thread_pool::ThreadPool& pool);
void add_carriers(Counters& counters, const virtual_threads::Scheduler& scheduler);
/// With their lag, where it is measured.
void add_loops(Counters& counters, reactive::LoopGroup& loops);
/// Blocking sections that held a carrier or a loop.
void add_pins(Counters& counters, const workload::Resources& resources);

}  // namespace parkbench::models
