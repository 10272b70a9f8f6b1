#include "parkbench/load/http_connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "parkbench/io/connect_error.hpp"

namespace parkbench::load {
namespace {

using Session = http::ClientSession::State;

}  // namespace

SocketAddress socket_address(const std::string& host, std::uint16_t port) {
  SocketAddress address;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    address.size = sizeof v4;
    std::memcpy(&address.storage, &v4, sizeof v4);
  } else if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    address.size = sizeof v6;
    std::memcpy(&address.storage, &v6, sizeof v6);
  } else {
    throw Failure(ErrorCode::connect_refused, "'" + host + "' is no IPv4 or IPv6 address");
  }
  return address;
}

HttpConnection::Step HttpConnection::connect(const SocketAddress& address, int epoll, std::uint64_t tag) {
  fd_ = UniqueFd(socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd_) return fail(io::connect_error(errno), "socket", errno);
  const int on = 1;
  setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  http::ClientLimits limits;
  if (!keep_body_) limits.body = std::numeric_limits<std::size_t>::max() / 2;  // a stream may last as long as it likes
  session_ = http::ClientSession(limits);
  session_.keep_body(keep_body_);
  hung_up_ = false;
  state_ = State::connecting;
  const int connected = ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size);
  const int why = connected == 0 ? 0 : errno;
  if (connected != 0 && why != EINPROGRESS) return fail(io::connect_error(why), "connect", why);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = tag;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd_.get(), &event) != 0) return fail(ErrorCode::out_of_memory, "epoll", errno);
  if (connected != 0) return Step::waiting;
  state_ = State::open;
  return Step::connected;
}

HttpConnection::Step HttpConnection::send(std::string_view request) {
  session_.start(request);
  return write();
}

HttpConnection::Step HttpConnection::on_events(std::uint32_t events) {
  const bool broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
  if (state_ == State::connecting) {
    if (!broken && (events & EPOLLOUT) == 0) return Step::waiting;
    int why = 0;
    socklen_t size = sizeof why;
    getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &why, &size);
    if (why != 0) return fail(io::connect_error(why), "connect", why);
    state_ = State::open;
    hung_up_ = (events & EPOLLRDHUP) != 0;
    return Step::connected;
  }
  if (state_ == State::closed) return Step::waiting;
  hung_up_ = hung_up_ || broken || (events & EPOLLRDHUP) != 0;
  const auto before = session_.state();
  if (before == Session::idle) {
    // Closed by the server while nobody asked, or bytes that no request has asked for: of no use for the next one.
    if (hung_up_ || (events & EPOLLIN) != 0) close();
    return Step::waiting;
  }
  if (before == Session::sending && (events & EPOLLOUT) != 0) {
    const Step step = write();
    if (step != Step::waiting) return step;
  }
  return hung_up_ || (events & EPOLLIN) != 0 ? read(hung_up_) : Step::waiting;
}

HttpConnection::Step HttpConnection::write() {
  while (session_.state() == Session::sending) {
    const std::string_view bytes = session_.pending();
    const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      session_.written(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      return Step::waiting;
    } else if (errno != EINTR) {
      session_.broken();
      return outcome();
    }
  }
  // Usually nothing is there yet; but an end of the stream that was told before the request is told no more.
  return hung_up_ ? read(true) : Step::waiting;
}

HttpConnection::Step HttpConnection::read(bool hung_up) {
  while (session_.state() == Session::sending || session_.state() == Session::reading) {
    const auto space = session_.space();
    const ssize_t n = recv(fd_.get(), space.data(), space.size(), 0);
    if (n > 0) {
      session_.received(static_cast<std::size_t>(n));
      // A read that does not fill the space has emptied the socket: the next byte comes with an edge of its own.
      const bool more = hung_up || static_cast<std::size_t>(n) == space.size();
      if (!more && session_.state() != Session::done && session_.state() != Session::failed) return Step::waiting;
    } else if (n == 0) {
      hung_up_ = true;
      session_.ended();
    } else if (errno == EAGAIN) {
      return Step::waiting;
    } else if (errno != EINTR) {
      session_.broken();
    }
  }
  return outcome();
}

HttpConnection::Step HttpConnection::outcome() {
  if (session_.state() == Session::done) return Step::answered;
  error_ = session_.error();
  close();
  return Step::failed;
}

HttpConnection::Step HttpConnection::fail(ErrorCode code, const std::string& what, int error_number) {
  error_ = {code, what + ": " + system_error_text(error_number)};
  close();
  return Step::failed;
}

void HttpConnection::next() {
  if (hung_up_ || !session_.keep_alive()) {
    close();
  } else {
    session_.reset();
  }
}

void HttpConnection::close() {
  fd_.reset();
  state_ = State::closed;
}

}  // namespace parkbench::load
