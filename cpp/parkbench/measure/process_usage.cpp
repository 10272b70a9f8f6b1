#include "parkbench/measure/process_usage.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <sstream>

#include "parkbench/measure/small_file.hpp"

namespace parkbench::measure {
namespace {

Ns to_ns(const timeval& t) { return static_cast<Ns>(t.tv_sec) * kSecond + static_cast<Ns>(t.tv_usec) * kMicrosecond; }

rusage usage_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return usage;
}

std::uint64_t switches(const rusage& usage) { return static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw); }

}  // namespace

int parse_thread_count(const std::string& proc_stat) {
  // The name in parentheses may hold spaces and parentheses; the fields after the last one are fixed.
  const auto close = proc_stat.rfind(')');
  if (close == std::string::npos) return 0;
  std::istringstream fields(proc_stat.substr(close + 1));
  std::string field;
  constexpr int kThreadsAfterName = 18;  // field 20 of the line
  for (int i = 0; i < kThreadsAfterName; ++i) fields >> field;
  int threads = 0;  // not std::stoi: it writes errno, which virtual threads of one carrier share
  std::from_chars(field.data(), field.data() + field.size(), threads);
  return threads;
}

HostCpu parse_host_cpu(const std::string& proc_stat) {
  std::istringstream line(proc_stat.substr(0, proc_stat.find('\n')));
  std::string label;
  line >> label;
  std::array<std::uint64_t, 8> ticks{};  // user nice system idle iowait irq softirq steal; guest is inside user
  for (auto& t : ticks) line >> t;
  HostCpu cpu;
  for (const auto t : ticks) cpu.total += t;
  cpu.busy = cpu.total - ticks[3] - ticks[4];
  cpu.steal = ticks[7];
  return cpu;
}

ProcessUsage read_process_usage() {
  const rusage usage = usage_of(RUSAGE_SELF);
  ProcessUsage now;
  now.cpu = to_ns(usage.ru_utime) + to_ns(usage.ru_stime);
  now.context_switches = switches(usage);
  now.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
  now.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
  std::int64_t pages = 0;
  std::istringstream(read_small_file("/proc/self/statm")) >> pages >> pages;
  now.resident_bytes = pages * sysconf(_SC_PAGESIZE);
  now.threads = parse_thread_count(read_small_file("/proc/self/stat"));
  return now;
}

ThreadUsage read_thread_usage() {
  const rusage usage = usage_of(RUSAGE_THREAD);
  return {thread_cpu_time(), switches(usage), static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

HostCpu read_host_cpu() { return parse_host_cpu(read_small_file("/proc/stat")); }

}  // namespace parkbench::measure
