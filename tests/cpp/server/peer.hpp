#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "parkbench/base/unique_fd.hpp"

namespace parkbench::server::testing {

/// Waits for a condition that some other thread brings about.
template <class Condition>
void until(Condition condition) {
  while (!condition()) sched_yield();
}

/// One answer as it came, and taken apart.
struct Answer {
  int status = 0;  // 0: the connection ended before it was whole
  std::string head;
  std::string body;

  bool has(std::string_view text) const { return head.find(text) != std::string::npos; }
  /// Head and body without what differs from call to call.
  std::string without_date() const {
    std::string text = head + body;
    const auto from = text.find("Date: ");
    if (from != std::string::npos) text.erase(from, text.find("\r\n", from) + 2 - from);
    return text;
  }
};

/// The other end of a connection: a plain blocking socket that speaks as much HTTP as the tests need.
class Peer {
 public:
  /// @param buffers bytes of the socket's own, small for a peer that is to be blocked soon; 0: the system's choice.
  explicit Peer(std::uint16_t port, int buffers = 0) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (buffers > 0) {
      setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &buffers, sizeof buffers);
      setsockopt(fd_.get(), SOL_SOCKET, SO_SNDBUF, &buffers, sizeof buffers);
    }
    const timeval patience{.tv_sec = 60, .tv_usec = 0};  // a hanging test should end with a failure
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }

  bool connected() const { return connected_; }
  int fd() const { return fd_.get(); }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  /// As much as the socket takes without waiting. @return bytes
  std::size_t send_some(std::string_view bytes) {
    const auto n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  void finish_sending() { shutdown(fd_.get(), SHUT_WR); }
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    fd_.reset();
  }

  /// The next answer, by its Content-Length or its chunks. @param head it answers HEAD
  Answer receive(bool head = false) {
    Answer answer;
    std::size_t end = 0;
    while ((end = bytes_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return answer;
    }
    answer.head = take(end + 4);
    if (!head && answer.has("Transfer-Encoding: chunked\r\n")) {
      if (!take_chunks(answer.body)) return answer;
    } else if (const auto at = answer.head.find("Content-Length: "); at != std::string::npos && !head) {
      const std::size_t length = std::stoul(answer.head.substr(at + 16));
      while (bytes_.size() < length) {
        if (!more()) return answer;
      }
      answer.body = take(length);
    }
    answer.status = std::stoi(answer.head.substr(9, 3));
    return answer;
  }
  Answer get(const std::string& target, const std::string& headers = {}) {
    send("GET " + target + " HTTP/1.1\r\nHost: test\r\n" + headers + "\r\n");
    return receive();
  }
  /// All there is until the server closes.
  std::string receive_to_the_end() {
    while (more()) {
    }
    return take(bytes_.size());
  }
  /// The server has closed in an orderly way, and nothing was left to read.
  bool at_end() { return bytes_.empty() && !more() && !failed_; }

 private:
  bool more() {
    std::array<char, 16 * 1024> buffer;
    const auto n = recv(fd_.get(), buffer.data(), buffer.size(), 0);
    failed_ = n < 0;
    if (n > 0) bytes_.append(buffer.data(), static_cast<std::size_t>(n));
    return n > 0;
  }
  std::string take(std::size_t count) {
    std::string taken = bytes_.substr(0, count);
    bytes_.erase(0, count);
    return taken;
  }
  bool take_chunks(std::string& body) {
    for (;;) {
      std::size_t line = 0;
      while ((line = bytes_.find("\r\n")) == std::string::npos) {
        if (!more()) return false;
      }
      const std::size_t length = std::stoul(take(line + 2), nullptr, 16);
      while (bytes_.size() < length + 2) {
        if (!more()) return false;
      }
      body += take(length);
      take(2);
      if (length == 0) return true;
    }
  }

  UniqueFd fd_;
  bool connected_ = false;
  bool failed_ = false;
  std::string bytes_;
};

inline std::string request(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n"; }

}  // namespace parkbench::server::testing
