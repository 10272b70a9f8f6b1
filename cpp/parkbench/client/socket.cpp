#include "parkbench/client/socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace parkbench::client {
namespace {

Transfer result_of(ssize_t bytes) {
  if (bytes >= 0) return {static_cast<std::size_t>(bytes), 0};
  return {0, errno};
}

}  // namespace

Transfer send_some(int fd, std::string_view bytes) {
  for (;;) {
    const Transfer sent = result_of(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    if (sent.error != EINTR) return sent;
  }
}

Transfer receive_some(int fd, std::span<char> space) {
  for (;;) {
    const Transfer received = result_of(::recv(fd, space.data(), space.size(), MSG_DONTWAIT));
    if (received.error != EINTR) return received;
  }
}

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
