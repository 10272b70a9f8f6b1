#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

namespace parkbench::virtual_threads {

class VirtualThread;

/// Something a carrier can run: a virtual thread that goes on, or one that has not begun and needs no stack yet.
struct Runnable {
  void (*entry)(void*) = nullptr;  // null: argument is a VirtualThread*
  void* argument = nullptr;

  static Runnable started(VirtualThread& thread);
  bool is_started() const { return entry == nullptr; }
  VirtualThread& thread() const;
};

/// A carrier's work in the order of its arrival. Any thread may put in and take out.
///
/// A mutex, taken once per element by the owner (about 15 ns uncontended) and once per batch by starters and thieves.
class RunQueue {
 public:
  enum class Take : bool { any, only_unstarted };

  RunQueue() : ring_(kInitialCapacity) {}

  /// @return number of elements after the push.
  std::size_t push(Runnable item);
  /// One entry for each argument.
  std::size_t push(void (*entry)(void*), std::span<void* const> arguments);
  bool pop(Runnable& item);
  /// Moves the older half (rounded up) of what may be taken to `to`. @return started and unstarted ones moved.
  struct Taken {
    std::size_t started = 0;
    std::size_t unstarted = 0;
    std::size_t all() const { return started + unstarted; }
  };
  Taken take_half(RunQueue& to, Take which);

  /// Exact at the moment of the call: a push that ended before is seen.
  bool has(Take which);
  /// Without the lock, perhaps out of date.
  std::size_t size_hint() const { return size_hint_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kInitialCapacity = 256;  // a power of two, as every capacity

  Runnable& at(std::size_t offset) { return ring_[(head_ + offset) & (ring_.size() - 1)]; }
  void reserve(std::size_t more);
  void put(Runnable item);

  std::mutex mutex_;  // guards all but the hint
  std::vector<Runnable> ring_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::size_t unstarted_ = 0;
  std::atomic<std::size_t> size_hint_{0};
};

}  // namespace parkbench::virtual_threads
