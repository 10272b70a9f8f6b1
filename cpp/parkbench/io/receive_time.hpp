#pragma once

#include "parkbench/base/clock.hpp"

namespace parkbench::io {

/// Asks the kernel to note when it receives what comes over this socket. False where it never does: a unix socket. The
/// first packets after the first such socket of a machine may come without a note.
bool ask_for_receive_times(int fd);

/// When the last of what the socket holds was received, nanoseconds of the wall clock; 0: nothing there, or no note.
/// Takes nothing out of the socket. One system call. Never inlined and without a look at errno: callers may park.
Ns receive_time(int fd);

/// Turns the kernel's wall-clock stamps into times of the steady clock. The two are compared anew whenever the last
/// comparison is older than 100 ms, since the wall clock may be set.
class SteadyOffset {
 public:
  /// @param now on the steady clock, roughly.
  Ns to_steady(Ns wall, Ns now);

 private:
  static constexpr Ns kFresh = 100 * kMillisecond;
  void compare();

  Ns offset_ = 0;
  Ns compared_at_ = 0;
};

}  // namespace parkbench::io
