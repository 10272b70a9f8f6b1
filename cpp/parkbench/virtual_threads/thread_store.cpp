#include "parkbench/virtual_threads/thread_store.hpp"

namespace parkbench::virtual_threads {

VirtualThread* ThreadStore::take(std::size_t& count) {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    const FreeList list = free_.back();
    free_.pop_back();
    count = list.count;
    return list.first;
  }
  VirtualThread& made = threads_.emplace_back(scheduler_, stacks_.take());
  count = 1;
  return &made;
}

void ThreadStore::give(VirtualThread* list, std::size_t count) {
  const std::lock_guard lock(mutex_);
  free_.push_back({list, count});
}

}  // namespace parkbench::virtual_threads
