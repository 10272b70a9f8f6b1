#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "parkbench/base/clock.hpp"

namespace parkbench::measure {

/// How long these threads of this process have been runnable without running so far, all together: field 2 of
/// /proc/self/task/TID/schedstat. About 6 microseconds a thread. Empty when the kernel does not say.
std::optional<Ns> read_run_queue_delay(std::span<const int> thread_ids);

/// Connections that a full accept queue has turned away so far, of all listeners of this network namespace:
/// ListenOverflows of /proc/net/netstat. Empty when the kernel does not say.
std::optional<std::uint64_t> read_listen_overflows();

/// How many connections wait at a listening socket to be accepted (tcpi_unacked of TCP_INFO); 0 when it is none.
std::int64_t read_accept_queue(int listening_socket);

/// Parsers, apart so that they can be tested on text.
std::optional<Ns> parse_run_queue_delay(const std::string& schedstat);
std::optional<std::uint64_t> parse_listen_overflows(const std::string& netstat);

}  // namespace parkbench::measure
