#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace parkbench::client {

/// Where a client connects to: a numeric address and a port. Names are resolved elsewhere, at set-up.
class Address {
 public:
  /// @param host IPv4 or IPv6, without brackets. @throws Failure(internal) when it is no address.
  Address(const std::string& host, std::uint16_t port);

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return size_; }
  int family() const { return storage_.ss_family; }
  /// `127.0.0.1:8080` or `[::1]:8080`, as the header Host has it.
  const std::string& text() const { return text_; }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
  std::string text_;
};

}  // namespace parkbench::client
