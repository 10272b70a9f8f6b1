#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>

#include "parkbench/base/thread.hpp"
#include "parkbench/base/unique_fd.hpp"

namespace parkbench::client::testing {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

/// A socket that listens on a free port of 127.0.0.1.
inline UniqueFd listen_somewhere(std::uint16_t& port, int backlog = 4096) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd.get(), backlog) != 0) std::abort();
  getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return fd;
}

/// A port on which nobody listens.
inline std::uint16_t free_port() {
  std::uint16_t port = 0;
  const UniqueFd closed_again = listen_somewhere(port);
  return port;
}

inline std::string answer(const std::string& body, const std::string& status = "200 OK",
                          const std::string& headers = "") {
  return "HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + headers + "\r\n" + body;
}

/// A server that answers as a test tells it to, one thread per connection.
class ScriptedServer {
 public:
  enum class Then : unsigned char { keep, close, reset };
  struct Turn {
    std::string bytes;
    Then then = Then::keep;
  };
  /// @param connection, request: from 0 on, request within its connection. May block.
  using Script = std::function<Turn(int connection, int request, const std::string& text)>;

  explicit ScriptedServer(Script script) : script_(std::move(script)), listener_(listen_somewhere(port_)) {
    acceptor_ = Thread("scripted", [this] { accept_all(); });
  }
  ~ScriptedServer() {
    shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    for (Peer& peer : peers_) shutdown(peer.fd, SHUT_RDWR);
    peers_.clear();  // joins
  }

  std::uint16_t port() const { return port_; }
  int connections() const { return connections_.load(); }
  int requests() const { return requests_.load(); }

 private:
  struct Peer {
    int fd;
    Thread thread;
    ~Peer() {
      thread.join();
      ::close(fd);
    }
  };

  void accept_all() {
    for (;;) {
      const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const int number = connections_.fetch_add(1);
      Peer& peer = peers_.emplace_back();
      peer.fd = fd;
      peer.thread = Thread("scripted", [this, fd, number] { serve(fd, number); });
    }
  }

  void serve(int fd, int connection) {
    std::string text;
    for (int request = 0;; ++request) {
      std::size_t end = 0;
      while ((end = text.find("\r\n\r\n")) == std::string::npos) {
        char piece[1024];
        const ssize_t got = recv(fd, piece, sizeof piece, 0);
        if (got <= 0) return end_with(fd, Then::close);
        text.append(piece, static_cast<std::size_t>(got));
      }
      requests_.fetch_add(1);
      const Turn turn = script_(connection, request, text.substr(0, end + 4));
      text.erase(0, end + 4);
      [[maybe_unused]] const auto sent = ::send(fd, turn.bytes.data(), turn.bytes.size(), MSG_NOSIGNAL);
      if (turn.then != Then::keep) return end_with(fd, turn.then);
    }
  }

  /// The descriptor itself is closed with its thread, so that its number is not taken meanwhile.
  static void end_with(int fd, Then then) {
    if (then == Then::reset) {
      const linger now{1, 0};
      setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
      sockaddr unspecified{};
      unspecified.sa_family = AF_UNSPEC;
      ::connect(fd, &unspecified, sizeof unspecified);  // disconnects: a reset goes out
      return;
    }
    shutdown(fd, SHUT_RDWR);
  }

  const Script script_;
  std::uint16_t port_ = 0;
  UniqueFd listener_;
  std::atomic<int> connections_{0};
  std::atomic<int> requests_{0};
  std::list<Peer> peers_;  // the acceptor's until it is joined
  Thread acceptor_;
};

/// Answers everything with the body `ok`.
inline ScriptedServer::Turn always_ok(int, int, const std::string&) { return {answer("ok")}; }

}  // namespace parkbench::client::testing
