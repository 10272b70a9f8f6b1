#pragma once

#include <cstddef>

namespace parkbench::virtual_threads {

/// One stack's saved state: everything that is needed to go on there. Switching saves the callee-saved registers
/// and the floating-point control words, and tells ASan and TSan which stack is in use.
class Context {
 public:
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  /// Makes this the context of the calling OS thread, on the stack that the system gave it.
  void adopt_thread();
  /// Makes the next switch here call entry(argument) on the empty stack [low, low + bytes). entry never returns and
  /// calls arrived() first.
  void prepare(void* low, std::size_t bytes, void (*entry)(void*), void* argument);
  /// To be called first on a new stack.
  void arrived();

  enum class Fate : bool { comes_back, dies };

  /// Leaves this context, which is the running one, and goes on in next. Returns when somebody switches back, perhaps
  /// on another OS thread: the caller must have fetched nothing that belongs to a thread. A context that dies is
  /// entered again only after prepare().
  void switch_to(Context& next, Fate fate = Fate::comes_back);

 private:
  void* stack_pointer_ = nullptr;
  void* low_ = nullptr;  // the stack's bounds, for ASan
  std::size_t bytes_ = 0;
  [[maybe_unused]] void* fake_stack_ = nullptr;  // ASan's
  [[maybe_unused]] void* fiber_ = nullptr;       // TSan's, kept as long as the stack
  [[maybe_unused]] bool owns_fiber_ = false;
};

}  // namespace parkbench::virtual_threads
