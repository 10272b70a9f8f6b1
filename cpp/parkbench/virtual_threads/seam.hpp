#pragma once

#include <cstddef>

namespace parkbench::virtual_threads {

class Carrier;
class VirtualThread;

// The only place of this layer that touches thread-local storage. A virtual thread may park on one OS thread and go on
// on another, and with -O2 -fPIC a compiler keeps the address of a thread_local, or of errno, in a register across the
// park: the virtual thread then writes into somebody else's. So each access is a call of a function that is never
// inlined, in a translation unit of its own (built without LTO), and returns a value, not an address.

/// The running virtual thread, null on an OS thread.
VirtualThread* current();
/// The carrier of the calling thread, null elsewhere. Never to be kept across a park.
Carrier* this_carrier();
void set_this_carrier(Carrier* carrier);

/// errno of the calling OS thread, for code that runs on virtual threads.
int last_error();
void set_last_error(int error);

/// What the C++ runtime and libc keep per OS thread, but a virtual thread must take along: the exceptions being handled
/// or in flight, and errno.
struct ThreadState {
  void* caught_exceptions = nullptr;
  unsigned int uncaught_exceptions = 0;
  int error = 0;
};

/// The addresses of that state for one OS thread; fetched and used on that thread only, that is by its carrier's loop.
class ThreadStatePlace {
 public:
  static ThreadStatePlace of_this_thread();
  void install(const ThreadState& state) const;
  /// Takes the state out and leaves none behind.
  void remove_to(ThreadState& state) const;

 private:
  void** caught_exceptions_ = nullptr;
  unsigned int* uncaught_exceptions_ = nullptr;
  int* error_ = nullptr;
};

}  // namespace parkbench::virtual_threads
