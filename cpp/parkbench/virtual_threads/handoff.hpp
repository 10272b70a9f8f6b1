#pragma once

#include <atomic>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/deadline.hpp"
#include "parkbench/virtual_threads/signal.hpp"
#include "parkbench/virtual_threads/virtual_thread.hpp"

namespace parkbench::virtual_threads {

/// One wait of one thread for one event: a virtual thread parks, an OS thread sleeps in the kernel. Lives on the stack
/// of the thread that waits, which may destroy it as soon as wait() has returned true.
class Handoff {
 public:
  /// For the calling thread.
  Handoff() : thread_(current()) {}
  Handoff(const Handoff&) = delete;
  Handoff& operator=(const Handoff&) = delete;

  /// Until given (true) or the deadline (false): then it may still be given, until the caller has made sure that
  /// nobody knows of it.
  bool wait(Deadline deadline, const Clock& clock);
  /// From any thread, once.
  void give();

 private:
  VirtualThread* const thread_;
  std::atomic<bool> given_{false};
  Signal signal_;
};

}  // namespace parkbench::virtual_threads
