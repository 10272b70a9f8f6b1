#include "parkbench/io/receive_time.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <ctime>
#include <limits>

namespace parkbench::io {

bool ask_for_receive_times(int fd) {
  int family = 0;
  socklen_t size = sizeof family;
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0) return false;
  if (family != AF_INET && family != AF_INET6) return false;
  const int on = 1;
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0;
}

[[gnu::noinline]] Ns receive_time(int fd) {
  // With MSG_TRUNC TCP copies nothing, so that a peek over everything there is costs no more than one over a byte; the
  // stamp is that of the last piece.
  constexpr std::size_t kAll = 1 << 20;
  char nothing = 0;
  iovec piece{&nothing, kAll};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec))> control;
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (recvmsg(fd, &message, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT) <= 0) return 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
    return static_cast<Ns>(stamp.tv_sec) * kSecond + stamp.tv_nsec;
  }
  return 0;
}

void SteadyOffset::compare() {
  const Clock& steady = SteadyClock::instance();
  // Of a few pairs the closest: a thread that is preempted between two reads would move all stamps.
  Ns closest = std::numeric_limits<Ns>::max();
  for (int tries = 0; tries < 3; ++tries) {
    const Ns before = steady.now();
    const Ns wall = unix_time();
    const Ns after = steady.now();
    if (after - before >= closest) continue;
    closest = after - before;
    offset_ = wall - (before + closest / 2);
    compared_at_ = after;
  }
}

Ns SteadyOffset::to_steady(Ns wall, Ns now) {
  if (compared_at_ == 0 || now - compared_at_ > kFresh) compare();
  return wall - offset_;
}

}  // namespace parkbench::io
