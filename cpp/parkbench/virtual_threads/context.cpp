#include "parkbench/virtual_threads/context.hpp"

#include <pthread.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "parkbench/virtual_threads/sanitizers.hpp"

#if !defined(__x86_64__)
#error "parkbench: virtual threads have a context switch for x86-64 only; this processor needs a context_<arch>.S"
#endif

#if PARKBENCH_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if PARKBENCH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

extern "C" {
void parkbench_switch_stack(void** save, void* go_on);
void parkbench_enter_stack();
}

namespace parkbench::virtual_threads {
namespace {

#if PARKBENCH_TSAN
/// With 0 a switch orders the two fibers, which hides races between virtual threads that merely shared a carrier; with
/// 1 (no-sync) only our own atomics and mutexes do. CI runs both.
unsigned tsan_switch_flags() {
  static const unsigned flags = [] {
    const char* text = std::getenv("PARKBENCH_TSAN_NO_SYNC");
    return text != nullptr && std::strcmp(text, "1") == 0 ? __tsan_switch_to_fiber_no_sync : 0U;
  }();
  return flags;
}
#endif

/// What parkbench_switch_stack pops, lowest address first.
struct InitialFrame {
  std::uint32_t mxcsr = 0x1F80;  // round to nearest, all exceptions masked: what a new OS thread has
  std::uint16_t x87 = 0x037F;    // the same, extended precision
  std::uint16_t unused = 0;
  std::uint64_t r15 = 0;
  std::uint64_t r14 = 0;
  std::uint64_t r13_argument = 0;
  std::uint64_t r12_entry = 0;
  std::uint64_t rbx = 0;
  std::uint64_t rbp = 0;  // ends the chain of frame pointers
  std::uint64_t return_address = 0;
};
static_assert(sizeof(InitialFrame) == 64);

}  // namespace

Context::~Context() {
#if PARKBENCH_TSAN
  if (owns_fiber_) __tsan_destroy_fiber(fiber_);
#endif
}

void Context::adopt_thread() {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low_, &bytes_);
  pthread_attr_destroy(&attributes);
#if PARKBENCH_TSAN
  fiber_ = __tsan_get_current_fiber();
#endif
}

void Context::prepare(void* low, std::size_t bytes, void (*entry)(void*), void* argument) {
  low_ = low;
  bytes_ = bytes;
#if PARKBENCH_TSAN
  if (!owns_fiber_) fiber_ = __tsan_create_fiber(0);
  owns_fiber_ = true;
#endif
#if PARKBENCH_ASAN
  __asan_unpoison_memory_region(low, bytes);  // the frames of the last user never returned
#endif
  InitialFrame frame;
  frame.r12_entry = reinterpret_cast<std::uint64_t>(entry);
  frame.r13_argument = reinterpret_cast<std::uint64_t>(argument);
  frame.return_address = reinterpret_cast<std::uint64_t>(&parkbench_enter_stack);
  // The return address is popped at a multiple of 16, so that the call in parkbench_enter_stack is aligned as the
  // ABI wants.
  char* top = static_cast<char*>(low) + bytes;
  stack_pointer_ = top - sizeof(InitialFrame);
  std::memcpy(stack_pointer_, &frame, sizeof frame);
}

void Context::arrived() {
#if PARKBENCH_ASAN
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

// Not instrumented: it reads the carrier's context after a finished thread has told the world that it is done, which to
// TSan would be a race with the end of the scheduler (the carrier's loop, whose end that waits for, comes after it).
__attribute__((no_sanitize("thread"))) void Context::switch_to(Context& next, [[maybe_unused]] Fate fate) {
#if PARKBENCH_ASAN
  __sanitizer_start_switch_fiber(fate == Fate::dies ? nullptr : &fake_stack_, next.low_, next.bytes_);
#endif
  void* const go_on = next.stack_pointer_;
#if PARKBENCH_TSAN
  const unsigned flags = tsan_switch_flags();
  __tsan_switch_to_fiber(next.fiber_, flags);  // nothing instrumented may stand between this and the jump
#endif
  parkbench_switch_stack(&stack_pointer_, go_on);
#if PARKBENCH_ASAN
  __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
#endif
}

}  // namespace parkbench::virtual_threads
