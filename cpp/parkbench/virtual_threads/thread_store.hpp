#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include "parkbench/virtual_threads/stack.hpp"
#include "parkbench/virtual_threads/virtual_thread.hpp"

namespace parkbench::virtual_threads {

/// All virtual threads of a scheduler with their stacks, and those that no carrier keeps for itself.
class ThreadStore {
 public:
  ThreadStore(Scheduler& scheduler, std::size_t stack_bytes) : scheduler_(scheduler), stacks_(stack_bytes) {}

  /// A list of free ones; a new one when there are none.
  /// @throws Failure(out_of_memory) when no stack can be had.
  VirtualThread* take(std::size_t& count);
  void give(VirtualThread* list, std::size_t count);

  StackPool& stacks() { return stacks_; }
  const StackPool& stacks() const { return stacks_; }

 private:
  struct FreeList {
    VirtualThread* first;
    std::size_t count;
  };

  Scheduler& scheduler_;
  StackPool stacks_;
  std::mutex mutex_;  // guards all below
  std::vector<FreeList> free_;
  std::deque<VirtualThread> threads_;
};

}  // namespace parkbench::virtual_threads
