#include "parkbench/load/answer_queue.hpp"

namespace parkbench::load {

void AnswerQueue::push(measure::Request& request) {
  measure::Request* head = head_.load(std::memory_order_relaxed);
  do {
    request.next = head;
  } while (!head_.compare_exchange_weak(head, &request, std::memory_order_seq_cst, std::memory_order_relaxed));
  // seq_cst on both sides: either this load sees the sleeper, or the sleeper's look at head_ sees the push.
  if (asleep_.load(std::memory_order_seq_cst) && asleep_.exchange(false, std::memory_order_acq_rel)) parker_.unpark();
}

measure::Request* AnswerQueue::take_all() {
  if (head_.load(std::memory_order_relaxed) == nullptr) return nullptr;
  measure::Request* newest = head_.exchange(nullptr, std::memory_order_acquire);
  measure::Request* oldest = nullptr;
  while (newest != nullptr) {
    measure::Request* next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

void AnswerQueue::wait(const Clock& clock, Deadline deadline) {
  asleep_.store(true, std::memory_order_seq_cst);
  if (head_.load(std::memory_order_seq_cst) == nullptr && !poked_.load(std::memory_order_seq_cst)) {
    parker_.park(clock, deadline);
  }
  asleep_.store(false, std::memory_order_relaxed);
  poked_.store(false, std::memory_order_relaxed);
}

void AnswerQueue::poke() {
  poked_.store(true, std::memory_order_seq_cst);
  if (asleep_.exchange(false, std::memory_order_seq_cst)) parker_.unpark();
}

}  // namespace parkbench::load
