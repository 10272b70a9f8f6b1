#include "parkbench/io/socket_calls.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace parkbench::io {
namespace {

Moved result_of(ssize_t n) {
  if (n >= 0) return {static_cast<std::size_t>(n), 0};
  return {0, errno};
}

}  // namespace

bool Moved::not_now() const { return error == EAGAIN; }

[[gnu::noinline]] Moved receive(int fd, std::span<char> space) {
  return result_of(recv(fd, space.data(), space.size(), 0));
}

[[gnu::noinline]] Moved send(int fd, std::string_view bytes) {
  return result_of(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

void shut_down_sending(int fd) { shutdown(fd, SHUT_WR); }

void reset_on_close(int fd) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace parkbench::io
