#include "parkbench/reactive/task.hpp"

namespace parkbench::reactive {

void TaskList::append_reversed(Task* newest) {
  if (newest == nullptr) return;
  Task* oldest = nullptr;
  for (Task* task = newest; task != nullptr;) {
    Task* older = task->next;
    task->next = oldest;
    oldest = task;
    task = older;
  }
  *(first_ == nullptr ? &first_ : &last_->next) = oldest;
  last_ = newest;
}

Inbox::Posted Inbox::push(std::span<Task* const> tasks) {
  if (tasks.empty()) return Posted::queued;
  for (std::size_t i = 1; i < tasks.size(); ++i) tasks[i]->next = tasks[i - 1];
  Task* seen = newest_.load(std::memory_order_acquire);
  do {
    if (seen == closed()) return Posted::refused;
    tasks.front()->next = seen == sleeping() ? nullptr : seen;
  } while (!newest_.compare_exchange_weak(seen, tasks.back(), std::memory_order_acq_rel));
  return seen == sleeping() ? Posted::wake : Posted::queued;
}

Task* Inbox::take() {
  Task* seen = newest_.load(std::memory_order_acquire);
  if (seen == nullptr || seen == closed()) return nullptr;
  // Only the owner leaves a mark, and it does not take while it sleeps.
  return newest_.exchange(nullptr, std::memory_order_acq_rel);
}

bool Inbox::begin_sleep() {
  Task* none = nullptr;
  return newest_.compare_exchange_strong(none, sleeping(), std::memory_order_acq_rel);
}

void Inbox::end_sleep() {
  Task* mark = sleeping();
  newest_.compare_exchange_strong(mark, nullptr, std::memory_order_acq_rel);
}

bool Inbox::close() {
  Task* none = nullptr;
  return newest_.compare_exchange_strong(none, closed(), std::memory_order_acq_rel);
}

}  // namespace parkbench::reactive
