#include "parkbench/measure/kernel_counters.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <sstream>

#include "parkbench/measure/small_file.hpp"

namespace parkbench::measure {

std::optional<Ns> parse_run_queue_delay(const std::string& schedstat) {
  Ns on_cpu = 0;
  Ns waiting = 0;
  if (!(std::istringstream(schedstat) >> on_cpu >> waiting)) return std::nullopt;
  return waiting;
}

std::optional<std::uint64_t> parse_listen_overflows(const std::string& netstat) {
  // Lines come in pairs: `TcpExt: names...`, `TcpExt: values...`.
  std::istringstream lines(netstat);
  std::string names;
  std::string values;
  while (std::getline(lines, names) && std::getline(lines, values)) {
    std::istringstream name_words(names);
    std::istringstream value_words(values);
    std::string name;
    std::string value;
    while (name_words >> name && value_words >> value) {
      if (name != "ListenOverflows") continue;
      std::uint64_t count = 0;
      if (!(std::istringstream(value) >> count)) return std::nullopt;
      return count;
    }
  }
  return std::nullopt;
}

std::optional<Ns> read_run_queue_delay(std::span<const int> thread_ids) {
  Ns sum = 0;
  for (const int id : thread_ids) {
    const std::string path = "/proc/self/task/" + std::to_string(id) + "/schedstat";
    const auto one = parse_run_queue_delay(read_small_file(path.c_str(), 128));
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum;
}

std::optional<std::uint64_t> read_listen_overflows() {
  constexpr std::size_t kMost = 16 * 1024;
  return parse_listen_overflows(read_small_file("/proc/net/netstat", kMost));
}

std::int64_t read_accept_queue(int listening_socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(listening_socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  if (info.tcpi_state != TCP_LISTEN) return 0;
  return info.tcpi_unacked;
}

}  // namespace parkbench::measure
