#pragma once

#include <sys/socket.h>

#include <array>
#include <utility>

namespace parkbench::run::testing {

/// The two ends of a control socket.
inline std::pair<int, int> socket_pair() {
  std::array<int, 2> ends{-1, -1};
  socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());
  return {ends[0], ends[1]};
}

}  // namespace parkbench::run::testing
