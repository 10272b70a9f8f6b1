#include "parkbench/server/listener.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "parkbench/base/error.hpp"
#include "parkbench/measure/kernel_counters.hpp"

namespace parkbench::server {
namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t bytes = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  std::uint16_t port() const {
    return ntohs(family() == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                                      : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
  }
};

[[noreturn]] void refuse_to_listen(const ServerOptions& options, const std::string& why) {
  throw Failure(ErrorCode::internal,
                "cannot listen on " + options.host + " port " + std::to_string(options.port) + ": " + why);
}

[[noreturn]] void refuse_to_listen(const ServerOptions& options, int error) {
  switch (error) {
    case EADDRINUSE:
      refuse_to_listen(options, "the port is in use; stop what uses it, or choose another one (0 picks a free one)");
    case EACCES:
    case EPERM:
      refuse_to_listen(options, "no permission for that port; choose one from 1024 on");
    case EADDRNOTAVAIL:
      refuse_to_listen(options, "the address does not belong to this machine; 127.0.0.1 and ::1 always do");
    case EAFNOSUPPORT:
      refuse_to_listen(options, "this machine has no such kind of address; 127.0.0.1 always works");
    case EMFILE:
    case ENFILE:
      refuse_to_listen(options, "too few file descriptors; raise `ulimit -n`");
    default:
      refuse_to_listen(options, system_error_text(error));
  }
}

Address parse(const ServerOptions& options) {
  Address address;
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET, options.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(options.port);
    address.bytes = sizeof v4;
  } else if (inet_pton(AF_INET6, options.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(options.port);
    address.bytes = sizeof v6;
  } else {
    refuse_to_listen(options, "that is not an address; give one such as 127.0.0.1 or ::1");
  }
  return address;
}

void switch_on(int fd, int level, int option) {
  const int on = 1;
  setsockopt(fd, level, option, &on, sizeof on);
}

UniqueFd bound_socket(const ServerOptions& options, bool shared) {
  Address address = parse(options);
  UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) refuse_to_listen(options, errno);
  switch_on(fd.get(), SOL_SOCKET, SO_REUSEADDR);
  if (shared) switch_on(fd.get(), SOL_SOCKET, SO_REUSEPORT);
  if (bind(fd.get(), address.get(), address.bytes) != 0) refuse_to_listen(options, errno);
  return fd;
}

UniqueFd open_reserve() { return UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

/// A close with unread bytes would reset the connection, and the peer might never see the answer.
void answer_and_close(UniqueFd connection) {
  static constexpr std::string_view kAnswer =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n";
  send(connection.get(), kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(connection.get(), SHUT_WR);
  std::array<char, 2048> dropped;
  for (int reads = 0; reads < 8; ++reads) {
    if (recv(connection.get(), dropped.data(), dropped.size(), MSG_DONTWAIT) <= 0) break;
  }
}

}  // namespace

Listener::Listener(const ServerOptions& options, bool shared, const Clock& clock)
    : clock_(clock),
      planted_delay_(options.planted_accept_delay),
      fd_(bound_socket(options, shared)),
      looked_at_(fd_.get()),
      reserve_(open_reserve()) {
  if (listen(fd_.get(), options.backlog) != 0) refuse_to_listen(options, errno);
  if (!reserve_) refuse_to_listen(options, errno);
  Address address;
  address.bytes = sizeof address.storage;
  getsockname(fd_.get(), address.get(), &address.bytes);
  port_ = address.port();
}

void Listener::require_free_port(const ServerOptions& options) {
  const UniqueFd probe = bound_socket(options, false);
  // A listening socket with SO_REUSEADDR forbids the bind, one that is only bound does not.
  if (listen(probe.get(), 1) != 0) refuse_to_listen(options, errno);
}

Listener::Accepted Listener::accept() {
  if (planted_delay_ > 0) {
    const Ns now = clock_.now();
    if (now < next_accept_at_) return {Accepted::Kind::pause, {}, next_accept_at_};
    next_accept_at_ = now + planted_delay_;
  }
  constexpr int kTries = 16;  // a peer that is gone before it was taken: ECONNABORTED and the like
  for (int tries = 0; tries < kTries; ++tries) {
    UniqueFd connection(accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (connection) {
      switch_on(connection.get(), IPPROTO_TCP, TCP_NODELAY);
      pause_ = 0;
      return {Accepted::Kind::connection, std::move(connection)};
    }
    const int error = errno;
    if (error == EMFILE || error == ENFILE) return starved(true);
    if (error == ENOBUFS || error == ENOMEM) return starved(false);
    if (error == EAGAIN || error == EBADF || error == EINVAL) break;
  }
  return {Accepted::Kind::none, {}};
}

/// The kernel says "no descriptor" even when nobody is there to be accepted; only a connection that had to be dropped
/// is a reason to pause.
Listener::Accepted Listener::starved(bool descriptors) {
  const Ns now = clock_.now();
  if (descriptors) {
    reserve_.reset();
    UniqueFd connection(accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    const bool none = !connection && errno == EAGAIN;
    if (connection) refuse(std::move(connection));
    reserve_ = open_reserve();
    if (none) return {Accepted::Kind::none, {}};
  }
  tell(now, descriptors ? "no file descriptor is left; raise `ulimit -n`" : "the kernel has no memory for it");
  pause_ = std::clamp(2 * pause_, kShortestPause, kLongestPause);
  return {Accepted::Kind::pause, {}, now + pause_};
}

std::int64_t Listener::waiting() const {
  return measure::read_accept_queue(looked_at_.load(std::memory_order_relaxed));
}

void Listener::close() {
  looked_at_.store(-1, std::memory_order_relaxed);
  fd_.reset();
}

void Listener::refuse(UniqueFd connection) {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  answer_and_close(std::move(connection));
}

void Listener::tell(Ns now, const char* why) {
  if (now < tell_again_at_) return;
  tell_again_at_ = now + kTellEvery;
  // Not by stdio, which would put 8 KiB on what may be a virtual thread's stack.
  const std::string line = "parkbench: port " + std::to_string(port_) + ": a connection cannot be taken: " + why +
                           " (" + std::to_string(dropped()) + " dropped so far)\n";
  [[maybe_unused]] const auto n = write(2, line.data(), line.size());
}

int connection_limit(const ServerOptions& options) {
  constexpr rlim_t kForOthers = 64;  // the database, pollers, files, the reserve
  constexpr rlim_t kFew = 16;
  constexpr rlim_t kMost = 1'000'000;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < kForOthers + kFew) {
    throw Failure(ErrorCode::out_of_memory, "too few descriptors for a server: the limit is " +
                                                std::to_string(limit.rlim_cur) + ", " + std::to_string(kForOthers) +
                                                " are for itself and the rest for connections; raise `ulimit -n`");
  }
  if (options.max_connections > 0) return options.max_connections;
  return static_cast<int>(std::min(limit.rlim_cur - kForOthers, kMost));
}

}  // namespace parkbench::server
