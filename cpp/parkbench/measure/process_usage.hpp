#pragma once

#include <cstdint>
#include <string>

#include "parkbench/base/clock.hpp"

namespace parkbench::measure {

/// What this process has used so far, all threads together.
struct ProcessUsage {
  Ns cpu = 0;                          // user + system
  std::uint64_t context_switches = 0;  // voluntary + involuntary
  std::uint64_t involuntary_switches = 0;
  std::uint64_t major_faults = 0;  // pages that had to be read from disk
  std::int64_t resident_bytes = 0;
  int threads = 0;
};

/// Reads getrusage, /proc/self/statm and /proc/self/stat: about 15 microseconds.
ProcessUsage read_process_usage();

/// The same for the calling thread: CPU and context switches only.
struct ThreadUsage {
  Ns cpu = 0;
  std::uint64_t context_switches = 0;
  std::uint64_t involuntary_switches = 0;
};
ThreadUsage read_thread_usage();

/// Busy and total CPU time of the whole machine since boot, in clock ticks over all CPUs, from /proc/stat.
struct HostCpu {
  std::uint64_t busy = 0;
  std::uint64_t total = 0;
  std::uint64_t steal = 0;
};
HostCpu read_host_cpu();

/// Parsers, apart so that they can be tested on text.
int parse_thread_count(const std::string& proc_stat);
HostCpu parse_host_cpu(const std::string& proc_stat);

}  // namespace parkbench::measure
