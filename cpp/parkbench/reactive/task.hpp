#pragma once

#include <atomic>
#include <cstdint>
#include <span>

namespace parkbench::reactive {

/// Work for a loop. The link makes queueing free of allocation; the owner keeps the object until run() is called, after
/// which the loop does not touch it again.
struct Task {
  Task* next = nullptr;
  /// Must not throw.
  virtual void run() = 0;

 protected:
  ~Task() = default;
};

/// Tasks in order, for one thread.
class TaskList {
 public:
  bool empty() const { return first_ == nullptr; }
  void push(Task& task) {
    task.next = nullptr;
    *(first_ == nullptr ? &first_ : &last_->next) = &task;
    last_ = &task;
  }
  Task* pop() {
    Task* task = first_;
    if (task != nullptr) first_ = task->next;
    return task;
  }
  /// Appends a chain that an Inbox gave out, newest first.
  void append_reversed(Task* newest);

 private:
  Task* first_ = nullptr;
  Task* last_ = nullptr;
};

/// Where other threads leave tasks: one atomic word, which says as well whether the owner sleeps, so that a burst
/// wakes it once and nobody who finds it awake makes a system call.
class Inbox {
 public:
  enum class Posted : std::uint8_t { queued, wake, refused };

  /// Leaves tasks, kept in their order. wake: the owner slept, the caller has to wake it. refused: closed.
  Posted push(std::span<Task* const> tasks);
  /// The owner takes all, newest first; null when there are none.
  Task* take();
  /// The owner wants to sleep; false when there are tasks.
  bool begin_sleep();
  /// The owner is up again.
  void end_sleep();
  /// For ever refuses tasks; false when there are some left.
  bool close();

 private:
  // Marks instead of a first task; no object lives at these addresses.
  static Task* sleeping() { return reinterpret_cast<Task*>(std::uintptr_t{1}); }
  static Task* closed() { return reinterpret_cast<Task*>(std::uintptr_t{2}); }

  alignas(64) std::atomic<Task*> newest_{nullptr};
};

}  // namespace parkbench::reactive
