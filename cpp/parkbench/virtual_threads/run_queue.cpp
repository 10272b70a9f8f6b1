#include "parkbench/virtual_threads/run_queue.hpp"

#include <algorithm>
#include <array>

namespace parkbench::virtual_threads {

Runnable Runnable::started(VirtualThread& thread) { return {nullptr, &thread}; }

VirtualThread& Runnable::thread() const { return *static_cast<VirtualThread*>(argument); }

void RunQueue::reserve(std::size_t more) {
  if (size_ + more <= ring_.size()) return;
  std::size_t capacity = ring_.size();
  while (capacity < size_ + more) capacity *= 2;
  std::vector<Runnable> bigger(capacity);
  for (std::size_t i = 0; i < size_; ++i) bigger[i] = at(i);
  ring_.swap(bigger);
  head_ = 0;
}

void RunQueue::put(Runnable item) {
  at(size_) = item;
  ++size_;
  if (!item.is_started()) ++unstarted_;
}

std::size_t RunQueue::push(Runnable item) {
  const std::lock_guard lock(mutex_);
  reserve(1);
  put(item);
  size_hint_.store(size_, std::memory_order_relaxed);
  return size_;
}

std::size_t RunQueue::push(void (*entry)(void*), std::span<void* const> arguments) {
  const std::lock_guard lock(mutex_);
  reserve(arguments.size());
  for (void* argument : arguments) put({entry, argument});
  size_hint_.store(size_, std::memory_order_relaxed);
  return size_;
}

bool RunQueue::pop(Runnable& item) {
  if (size_hint() == 0) return false;  // a push that is seen too late is seen by has() before the carrier sleeps
  const std::lock_guard lock(mutex_);
  if (size_ == 0) return false;
  item = at(0);
  head_ = (head_ + 1) & (ring_.size() - 1);
  --size_;
  if (!item.is_started()) --unstarted_;
  size_hint_.store(size_, std::memory_order_relaxed);
  return true;
}

RunQueue::Taken RunQueue::take_half(RunQueue& to, Take which) {
  // Through a small buffer, so that two carriers that steal from each other never hold both locks. 128 at a time is
  // plenty: a thief that needs more comes back.
  std::array<Runnable, 128> loot;
  Taken taken;
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t eligible = which == Take::any ? size_ : unstarted_;
    const std::size_t wanted = std::min((eligible + 1) / 2, loot.size());
    std::size_t seen = 0;
    std::size_t passed_over = 0;  // elements kept, moved together behind the gap
    for (; count < wanted; ++seen) {
      const Runnable item = at(seen);
      if (which == Take::any || !item.is_started()) {
        loot[count++] = item;
        ++(item.is_started() ? taken.started : taken.unstarted);
      } else {
        ++passed_over;
      }
    }
    for (std::size_t from = seen, kept = 0; kept < passed_over;) {  // from the back, so that nothing is overwritten
      --from;
      if (at(from).is_started()) {
        ++kept;
        at(seen - kept) = at(from);
      }
    }
    head_ = (head_ + count) & (ring_.size() - 1);
    size_ -= count;
    unstarted_ -= taken.unstarted;
    size_hint_.store(size_, std::memory_order_relaxed);
  }
  if (count == 0) return taken;
  const std::lock_guard lock(to.mutex_);
  to.reserve(count);
  for (std::size_t i = 0; i < count; ++i) to.put(loot[i]);
  to.size_hint_.store(to.size_, std::memory_order_relaxed);
  return taken;
}

bool RunQueue::has(Take which) {
  const std::lock_guard lock(mutex_);
  return (which == Take::any ? size_ : unstarted_) > 0;
}

}  // namespace parkbench::virtual_threads
