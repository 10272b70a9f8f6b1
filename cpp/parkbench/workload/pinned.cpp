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

Pinned::Pinned(Resources& resources) : cell_(cell_of_this_thread()) {
  if (cell_ == nullptr) return;
  resources.pins.fetch_add(1, std::memory_order_relaxed);
  cell_->set(io::ThreadState::pinned);
}

Pinned::~Pinned() {
  if (cell_ != nullptr) cell_->set(io::ThreadState::on_cpu);
}

bool Pinned::would_pin() { return cell_of_this_thread() != nullptr; }

}  // namespace parkbench::workload
