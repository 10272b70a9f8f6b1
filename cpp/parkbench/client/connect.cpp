#include "parkbench/client/connect.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace parkbench::client {
int begin_connect(const Address& address, UniqueFd& socket) {
  socket = UniqueFd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return errno;
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(socket.get(), address.get(), address.size()) == 0) return 0;
  return errno == EINTR ? EINPROGRESS : errno;
}

int end_connect(int fd) {
  pollfd entry{fd, POLLOUT, 0};
  if (::poll(&entry, 1, 0) == 0) return EINPROGRESS;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace parkbench::client
