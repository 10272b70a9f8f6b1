#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace parkbench::virtual_threads {

/// How a stack's lower end is protected. An overflow then faults instead of writing into the neighbour.
enum class GuardMode : std::uint8_t {
  madv_guard,  // MADV_GUARD_INSTALL, Linux 6.13: no mapping of its own, so a million guarded stacks are possible
  mprotect,    // splits the mapping: ends near 32,700 stacks (vm.max_map_count 65,530)
};
std::string_view to_string(GuardMode mode);

/// A virtual thread's stack without its guard: [low, low + bytes).
struct Stack {
  void* low = nullptr;
  std::size_t bytes = 0;
  std::uint64_t number = 0;
};

/// Cuts stacks out of large mappings. A stack is never given back before the pool ends: its user recycles it.
///
/// Slabs of 1,024 stacks, reserved but not backed: a stack costs the pages that were touched (4 KiB when shallow).
class StackPool {
 public:
  static constexpr std::size_t kGuardBytes = 16 * 1024;  // as a foreign function's frame may step over one page
  static constexpr std::size_t kStacksPerSlab = 1024;

  /// The best guard that this kernel has.
  static GuardMode best_guard();

  /// @param stack_bytes usable bytes of each stack, rounded up to pages.
  explicit StackPool(std::size_t stack_bytes, GuardMode guard = best_guard());
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// @throws Failure(out_of_memory) naming the limit to raise.
  Stack take();

  GuardMode guard_mode() const { return guard_; }
  std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }
  /// The number of the stack whose guard holds this address, or -1. Safe in a signal handler while no stack is taken.
  std::int64_t guard_at(const void* address) const;

 private:
  static constexpr std::size_t kMaximumSlabs = 4096;  // four million stacks

  void install_guard(void* low);
  std::size_t stride() const { return kGuardBytes + stack_bytes_; }

  const std::size_t stack_bytes_;
  const GuardMode guard_;
  std::mutex mutex_;  // guards taking
  std::atomic<std::size_t> taken_{0};
  std::vector<std::atomic<char*>> slabs_{kMaximumSlabs};  // of fixed size: read by the signal handler
};

}  // namespace parkbench::virtual_threads
