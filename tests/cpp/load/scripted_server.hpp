#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <functional>
#include <string>
#include <vector>

#include "parkbench/base/thread.hpp"
#include "parkbench/base/unique_fd.hpp"

namespace parkbench::load::testing {

/// A server on a free port of 127.0.0.1 that follows a script: one function per connection, in the order in which they
/// come, the last one for all that follow. Each runs on a thread of its own and owns the socket.
class ScriptedServer {
 public:
  /// One connection as the script sees it.
  class Talk {
   public:
    explicit Talk(UniqueFd fd) : fd_(std::move(fd)) {}
    /// Reads up to the end of a request's head; false when the peer has closed.
    bool request() {
      while (read_.find("\r\n\r\n") == std::string::npos) {
        char bytes[1024];
        const ssize_t n = recv(fd_.get(), bytes, sizeof bytes, 0);
        if (n <= 0) return false;
        read_.append(bytes, static_cast<std::size_t>(n));
      }
      read_.erase(0, read_.find("\r\n\r\n") + 4);
      return true;
    }
    void say(const std::string& bytes) const { ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); }
    void answer(const std::string& body, const std::string& headers = {}) const {
      say("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body);
    }
    /// Ends the connection with a reset instead of an orderly close.
    void reset() {
      const linger now{1, 0};
      setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
      fd_.reset();
    }
    /// Until the peer closes.
    void wait_for_close() {
      while (request()) {
      }
    }

   private:
    UniqueFd fd_;
    std::string read_;
  };
  using Script = std::function<void(Talk&)>;

  explicit ScriptedServer(std::vector<Script> scripts)
      : scripts_(std::move(scripts)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    listen(listener_.get(), 128);
    getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = Thread("acceptor", [this] { accept_all(); });
  }
  ~ScriptedServer() {
    shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
  }
  std::uint16_t port() const { return port_; }

 private:
  void accept_all() {
    std::vector<Thread> talks;
    for (std::size_t i = 0;; ++i) {
      UniqueFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd) break;
      talks.emplace_back("talk", [script = scripts_[std::min(i, scripts_.size() - 1)], fd = std::move(fd)]() mutable {
        Talk talk(std::move(fd));
        script(talk);
      });
    }
  }

  std::vector<Script> scripts_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  Thread acceptor_;
};

/// Answers every request with `ok`.
inline void always_ok(ScriptedServer::Talk& talk) {
  while (talk.request()) talk.answer("ok");
}

}  // namespace parkbench::load::testing
