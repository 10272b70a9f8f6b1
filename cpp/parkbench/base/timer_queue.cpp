#include "parkbench/base/timer_queue.hpp"

#include <algorithm>

namespace parkbench {
namespace {

constexpr std::size_t kArity = 4;

}  // namespace

void TimerQueue::arm(TimerNode& node, Ns due) {
  if (node.armed()) cancel(node);
  node.due = due;
  heap_.push_back(&node);
  node.index = heap_.size() - 1;
  sift_up(node.index);
}

bool TimerQueue::cancel(TimerNode& node) {
  if (!node.armed()) return false;
  const std::size_t hole = node.index;
  node.index = TimerNode::kIdle;
  TimerNode* last = heap_.back();
  heap_.pop_back();
  if (last != &node) {
    place(hole, last);
    sift_up(hole);
    sift_down(last->index);
  }
  return true;
}

TimerNode* TimerQueue::pop_due(Ns now) {
  if (heap_.empty() || heap_.front()->due > now) return nullptr;
  TimerNode* first = heap_.front();
  cancel(*first);
  return first;
}

void TimerQueue::place(std::size_t index, TimerNode* node) {
  heap_[index] = node;
  node->index = index;
}

void TimerQueue::sift_up(std::size_t index) {
  TimerNode* node = heap_[index];
  while (index > 0) {
    const std::size_t parent = (index - 1) / kArity;
    if (heap_[parent]->due <= node->due) break;
    place(index, heap_[parent]);
    index = parent;
  }
  place(index, node);
}

void TimerQueue::sift_down(std::size_t index) {
  TimerNode* node = heap_[index];
  for (;;) {
    const std::size_t first = index * kArity + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kArity, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (heap_[child]->due < heap_[least]->due) least = child;
    }
    if (heap_[least]->due >= node->due) break;
    place(index, heap_[least]);
    index = least;
  }
  place(index, node);
}

}  // namespace parkbench
