#include "parkbench/thread_pool/thread_pool.hpp"

#include <algorithm>

namespace parkbench::thread_pool {

ThreadPool::ThreadPool(ThreadPoolOptions options) : options_(std::move(options)) {
  const auto count = static_cast<std::size_t>(options_.workers);
  workers_.reserve(count);
  idle_.reserve(count);
  try {
    for (std::size_t i = 0; i < count; ++i) {
      workers_.push_back(std::make_unique<Worker>(*options_.clock));
      Worker& worker = *workers_.back();
      worker.thread =
          Thread(options_.name + "-" + std::to_string(i), [this, &worker] { work(worker); }, options_.stack_bytes);
    }
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(); }

ThreadPool::Submitted ThreadPool::submit(std::span<const Task> tasks) {
  Submitted result;
  std::size_t& taken = result.taken;
  Worker* woken = nullptr;
  {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      taken += enqueue(lock, tasks.subspan(taken));
      if (taken == tasks.size() || options_.rejection == RejectionPolicy::reject) break;
      result.held_back = true;
      if (Worker* worker = next_to_wake()) worker->idle.unpark();
      if (options_.rejection == RejectionPolicy::block) {
        room_.wait(lock, [this] { return queue_.size() < options_.queue || stopping_; });
      } else {
        lock.unlock();
        run_here(tasks[taken++]);
        lock.lock();
      }
    }
    woken = next_to_wake();
  }
  if (woken != nullptr) woken->idle.unpark();
  return result;
}

std::size_t ThreadPool::enqueue(std::unique_lock<std::mutex>& /*held*/, std::span<const Task> tasks) {
  // An idle worker, or one on its way, takes a task without a place in the queue, so room counts those too.
  const std::size_t places = options_.queue + idle_.size() + (waking_ ? 1 : 0);
  const std::size_t room = places > queue_.size() ? places - queue_.size() : 0;
  const std::size_t count = std::min(room, tasks.size());
  queue_.insert(queue_.end(), tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(count));
  return count;
}

void ThreadPool::run_here(const Task& task) {
  // The submitting thread is no worker: its waits are gauged apart and appear in no count of the pool's threads.
  io::ThreadStateCell state;
  io::WaitGauge gauge;
  io::BlockingWaiter waiter(*options_.clock, state, gauge);
  task.run(task.argument, waiter);
}

ThreadPool::Worker* ThreadPool::next_to_wake() {
  if (waking_ || queue_.empty() || idle_.empty()) return nullptr;
  waking_ = true;
  Worker* worker = idle_.back();
  idle_.pop_back();
  return worker;
}

bool ThreadPool::take(Worker& worker, Task& task) {
  std::unique_lock lock(mutex_);
  while (queue_.empty()) {
    if (stopping_) return false;
    worker.state.set(io::ThreadState::idle);
    idle_.push_back(&worker);
    lock.unlock();
    worker.idle.park(*options_.clock, Deadline::never());
    lock.lock();
    waking_ = false;
  }
  worker.state.set(io::ThreadState::on_cpu);
  task = queue_.front();
  queue_.pop_front();
  Worker* next = next_to_wake();
  lock.unlock();
  if (next != nullptr) next->idle.unpark();
  if (options_.rejection == RejectionPolicy::block) room_.notify_one();
  return true;
}

void ThreadPool::work(Worker& worker) {
  worker.state.thread_id.store(current_thread_id(), std::memory_order_relaxed);
  Task task;
  while (take(worker, task)) task.run(task.argument, worker.waiter);
  worker.state.set(io::ThreadState::idle);
}

void ThreadPool::stop() {
  std::vector<Worker*> sleepers;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    sleepers.swap(idle_);
  }
  room_.notify_all();
  for (Worker* worker : sleepers) worker->idle.unpark();
  for (auto& worker : workers_) worker->thread.join();
}

std::size_t ThreadPool::queued() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

}  // namespace parkbench::thread_pool
