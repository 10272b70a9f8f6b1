#include "parkbench/virtual_threads/stack.hpp"

#include <sys/mman.h>

#include <string>

#include "parkbench/base/error.hpp"
#include "parkbench/virtual_threads/seam.hpp"

namespace parkbench::virtual_threads {
namespace {

constexpr int kMadvGuardInstall = 102;  // <sys/mman.h> of Debian 12 does not know it
constexpr std::size_t kPage = 4096;

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  throw Failure(ErrorCode::out_of_memory,
                "cannot " + what + " a virtual thread's stack: " + system_error_text(last_error()) + "; " + remedy);
}

}  // namespace

std::string_view to_string(GuardMode mode) {
  switch (mode) {
    case GuardMode::madv_guard:
      return "madv_guard";
    case GuardMode::mprotect:
      return "mprotect";
  }
  return "unknown";
}

GuardMode StackPool::best_guard() {
  void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return GuardMode::mprotect;
  const bool known = madvise(page, kPage, kMadvGuardInstall) == 0;
  munmap(page, kPage);
  return known ? GuardMode::madv_guard : GuardMode::mprotect;
}

StackPool::StackPool(std::size_t stack_bytes, GuardMode guard)
    : stack_bytes_((stack_bytes + kPage - 1) / kPage * kPage), guard_(guard) {}

StackPool::~StackPool() {
  for (auto& slab : slabs_) {
    if (slab.load() != nullptr) munmap(slab.load(), kStacksPerSlab * stride());
  }
}

Stack StackPool::take() {
  const std::lock_guard lock(mutex_);
  const std::size_t number = taken_.load(std::memory_order_relaxed);
  const std::size_t slab = number / kStacksPerSlab;
  if (slab >= kMaximumSlabs) {
    throw Failure(ErrorCode::out_of_memory, "no more than 4,194,304 virtual threads can live at once");
  }
  if (slabs_[slab].load(std::memory_order_relaxed) == nullptr) {
    void* start = mmap(nullptr, kStacksPerSlab * stride(), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (start == MAP_FAILED) refuse("map", "use fewer or smaller stacks, or raise `ulimit -v`");
    // A huge page would back 25 stacks of which one page each is needed.
    madvise(start, kStacksPerSlab * stride(), MADV_NOHUGEPAGE);
    slabs_[slab].store(static_cast<char*>(start), std::memory_order_release);
  }
  char* low = slabs_[slab].load(std::memory_order_relaxed) + (number % kStacksPerSlab) * stride();
  install_guard(low);
  taken_.store(number + 1, std::memory_order_relaxed);
  return {low + kGuardBytes, stack_bytes_, number};
}

void StackPool::install_guard(void* low) {
  if (guard_ == GuardMode::madv_guard) {
    if (madvise(low, kGuardBytes, kMadvGuardInstall) != 0) refuse("guard", "unlock memory (`ulimit -l`)");
  } else if (mprotect(low, kGuardBytes, PROT_NONE) != 0) {
    refuse("guard", "raise vm.max_map_count (each guarded stack needs two maps) or use a kernel from 6.13 on");
  }
}

std::int64_t StackPool::guard_at(const void* address) const {
  const auto* at = static_cast<const char*>(address);
  const std::size_t taken = taken_.load(std::memory_order_relaxed);
  for (std::size_t slab = 0; slab * kStacksPerSlab < taken; ++slab) {
    const char* start = slabs_[slab].load(std::memory_order_acquire);
    if (at < start || at >= start + kStacksPerSlab * stride()) continue;
    const auto offset = static_cast<std::size_t>(at - start);
    if (offset % stride() >= kGuardBytes) return -1;
    const std::size_t number = slab * kStacksPerSlab + offset / stride();
    return number < taken ? static_cast<std::int64_t>(number) : -1;
  }
  return -1;
}

}  // namespace parkbench::virtual_threads
