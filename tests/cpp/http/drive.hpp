#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "parkbench/http/server_session.hpp"

namespace parkbench::http {

inline std::int64_t birthday() { return 784'111'777; }  // Sun, 06 Nov 1994 08:49:37 GMT
inline constexpr std::string_view kBirthday = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

/// A server's session with a peer that takes everything at once and a handler that answers at once.
class Driven {
 public:
  using Handler = std::function<void(ServerSession&)>;

  explicit Driven(const Limits& limits = kLimits, Handler handler = hello)
      : session(limits, 0, birthday), handler_(std::move(handler)) {}

  /// Everything that is to be done until more bytes are needed, or the connection is closed.
  void turn() {
    for (;;) {
      switch (session.step()) {
        case ServerSession::Step::read:
          return;
        case ServerSession::Step::handle:
          handler_(session);
          break;
        case ServerSession::Step::write:
          written.append(session.pending());
          session.written(session.pending().size(), now);
          break;
        case ServerSession::Step::shut_down:
          closes = true;
          session.shut_down_done(now);
          break;
        case ServerSession::Step::close:
          closes = true;
          return;
      }
    }
  }

  /// Bytes that the peer sends; what comes after the close is not taken.
  void feed(std::string_view bytes) {
    turn();
    while (!bytes.empty() && session.step() == ServerSession::Step::read) {
      const auto room = session.space();
      const std::size_t size = std::min(room.size(), bytes.size());
      std::memcpy(room.data(), bytes.data(), size);
      bytes.remove_prefix(size);
      session.received(size, now);
      turn();
    }
  }
  void feed(const std::vector<std::string>& pieces) {
    for (const std::string& piece : pieces) feed(piece);
  }

  static void hello(ServerSession& session) {
    Response response;
    response.body = "Hello, World!";
    session.respond(response, 0);
  }

  inline static const Limits kLimits;
  ServerSession session;
  std::string written;
  bool closes = false;
  Ns now = 0;

 private:
  Handler handler_;
};

}  // namespace parkbench::http
