// Preloaded into the embedded PostgreSQL: keeps its backends in the session of the server that started them.
//
// Each backend calls setsid(). Where the kernel groups processes by session (kernel.sched_autogroup_enabled, for all
// who are in no CPU control group), ten backends then are ten groups that compete with the measured process as a
// whole, and a group's share on one CPU can be next to nothing while its load is thought to be on another: measured
// on 2 CPUs, single backends stood runnable for up to 4.5 s, and the three models lost a third to a half of their
// throughput. A process group of its own, which the server needs for signalling, is left to the backend.

#include <unistd.h>

extern "C" [[gnu::visibility("default")]] pid_t setsid() noexcept {
  static_cast<void>(setpgid(0, 0));
  return getpid();
}
