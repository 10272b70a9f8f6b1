#include "parkbench/virtual_threads/seam.hpp"

#include <cxxabi.h>

#include <cerrno>

#include "parkbench/virtual_threads/carrier.hpp"

#if defined(__clang__)
#define PARKBENCH_OPAQUE noinline
#else
#define PARKBENCH_OPAQUE noipa  // neither inlined nor looked into
#endif
// Not instrumented by TSan: with its no-sync flag the virtual threads of one OS thread would seem to race for what that
// thread keeps, although a switch lies between any two of them.
#define PARKBENCH_SEAM __attribute__((PARKBENCH_OPAQUE, no_sanitize("thread")))

namespace parkbench::virtual_threads {
namespace {

thread_local Carrier* t_carrier = nullptr;

/// The head of __cxa_eh_globals, which the Itanium C++ ABI fixes (2.2.2) and <cxxabi.h> only declares.
struct ExceptionGlobals {
  void* caught_exceptions;
  unsigned int uncaught_exceptions;
};

}  // namespace

PARKBENCH_SEAM VirtualThread* current() { return t_carrier == nullptr ? nullptr : t_carrier->running(); }
PARKBENCH_SEAM Carrier* this_carrier() { return t_carrier; }
PARKBENCH_SEAM void set_this_carrier(Carrier* carrier) { t_carrier = carrier; }

PARKBENCH_SEAM int last_error() { return errno; }
PARKBENCH_SEAM void set_last_error(int error) { errno = error; }

PARKBENCH_SEAM ThreadStatePlace ThreadStatePlace::of_this_thread() {
  auto* globals = reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
  ThreadStatePlace place;
  place.caught_exceptions_ = &globals->caught_exceptions;
  place.uncaught_exceptions_ = &globals->uncaught_exceptions;
  place.error_ = &errno;
  return place;
}

PARKBENCH_SEAM void ThreadStatePlace::install(const ThreadState& state) const {
  *caught_exceptions_ = state.caught_exceptions;
  *uncaught_exceptions_ = state.uncaught_exceptions;
  *error_ = state.error;
}

PARKBENCH_SEAM void ThreadStatePlace::remove_to(ThreadState& state) const {
  state.caught_exceptions = *caught_exceptions_;
  state.uncaught_exceptions = *uncaught_exceptions_;
  state.error = *error_;
  *caught_exceptions_ = nullptr;
  *uncaught_exceptions_ = 0;
}

}  // namespace parkbench::virtual_threads
