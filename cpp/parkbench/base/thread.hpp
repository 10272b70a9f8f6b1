#pragma once

#include <pthread.h>

#include <cstddef>
#include <string>
#include <vector>

#include "parkbench/base/unique_function.hpp"

namespace parkbench {

/// A named OS thread with a stack size of its own; joined by its destructor. The only place that creates threads.
class Thread {
 public:
  Thread() = default;
  /// @param name shown by ps and gdb; cut to 15 characters.
  /// @param stack_bytes 0 takes the system's default.
  /// @throws Failure(out_of_memory) when the system gives no thread, naming the limit to raise.
  Thread(const std::string& name, UniqueFunction<void()> body, std::size_t stack_bytes = 0);
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  ~Thread();

  bool joinable() const { return joinable_; }
  void join();

 private:
  pthread_t id_{};
  bool joinable_ = false;
};

/// The kernel's id of the calling thread, as in /proc/PID/task.
int current_thread_id();
/// CPUs this process may run on.
int usable_cpus();
std::vector<int> usable_cpu_numbers();
/// Keeps the calling thread on one CPU.
void pin_to_cpu(int cpu);

}  // namespace parkbench
