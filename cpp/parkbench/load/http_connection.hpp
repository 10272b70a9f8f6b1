#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "parkbench/base/error.hpp"
#include "parkbench/base/unique_fd.hpp"
#include "parkbench/http/client_session.hpp"

namespace parkbench::load {

/// A numeric address with its port, as the sockets take it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};
/// @throws Failure(connect_refused) when host is no address.
SocketAddress socket_address(const std::string& host, std::uint16_t port);

/// One connection of the generator: a socket that never blocks, the HTTP session over it. It is registered once with an
/// epoll descriptor, edge-triggered; whoever polls hands it the events.
class HttpConnection {
 public:
  enum class State : std::uint8_t { closed, connecting, open };
  enum class Step : std::uint8_t {
    waiting,    // for more events
    connected,  // send() may be called
    answered,   // session() holds the whole answer: take it, then next()
    failed,     // error() says why; the connection is closed
  };

  explicit HttpConnection(bool keep_body) : keep_body_(keep_body) {}

  State state() const { return state_; }
  /// Begins to connect; the connection is told apart by tag in epoll's events.
  Step connect(const SocketAddress& address, int epoll, std::uint64_t tag);
  /// Starts a request on an open connection that has none under way.
  Step send(std::string_view request);
  Step on_events(std::uint32_t events);
  /// After an answer: ready for the next request, or closed if this connection serves no more.
  void next();
  void close();

  const http::ClientSession& session() const { return session_; }
  const Error& error() const { return error_; }
  /// A request is under way and all of it has gone out.
  bool sent_whole() const { return state_ == State::open && session_.state() == http::ClientSession::State::reading; }

 private:
  Step write();
  Step read(bool hung_up);
  Step outcome();
  Step fail(ErrorCode code, const std::string& what, int error_number);

  UniqueFd fd_;
  http::ClientSession session_;
  Error error_;
  State state_ = State::closed;
  bool keep_body_;
  bool hung_up_ = false;  // the peer has finished sending: an edge that comes once
};

}  // namespace parkbench::load
