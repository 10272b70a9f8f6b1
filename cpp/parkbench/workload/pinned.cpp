#include "parkbench/workload/pinned.hpp"

#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/virtual_threads/carrier.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"
#include "parkbench/virtual_threads/seam.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::workload {
namespace {

io::ThreadStateCell* cell_of_this_thread() {
  if (const virtual_threads::Carrier* const carrier = virtual_threads::this_carrier()) {
    return &carrier->scheduler().cells()[carrier->index()];
  }
  if (reactive::EventLoop* const loop = reactive::EventLoop::current()) return &loop->cell();
  return nullptr;
}

}  // namespace

Pinned::Pinned(Resources& resources, PinSection section)
    : resources_(resources), section_(section), cell_(cell_of_this_thread()) {
  if (cell_ == nullptr) return;
  resources.pins.fetch_add(1, std::memory_order_relaxed);
  begun_ = resources.clock.now();
  cell_->set(io::ThreadState::pinned);
}

Pinned::~Pinned() {
  if (cell_ == nullptr) return;
  cell_->set(io::ThreadState::on_cpu);
  resources_.pinned[static_cast<std::size_t>(section_)].fetch_add(resources_.clock.now() - begun_,
                                                                  std::memory_order_relaxed);
}

bool Pinned::would_pin() { return cell_of_this_thread() != nullptr; }

}  // namespace parkbench::workload
