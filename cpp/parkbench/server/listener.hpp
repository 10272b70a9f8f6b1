#pragma once

#include <cstdint>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/unique_fd.hpp"
#include "parkbench/server/options.hpp"

namespace parkbench::server {

/// A listening socket that survives running out of descriptors: it keeps one in reserve, gives it up to take and drop
/// a connection with 503, and then pauses, so that a level-triggered wait does not spin.
class Listener {
 public:
  /// @param shared several listeners on one port (SO_REUSEPORT).
  /// @throws Failure(internal) with one sentence: address, port, why, what to do (in use, no permission, not local).
  Listener(const ServerOptions& options, bool shared, const Clock& clock);

  struct Accepted {
    enum class Kind : std::uint8_t { connection, none, pause } kind;
    UniqueFd fd;       // of a connection: non-blocking, TCP_NODELAY
    Ns resume_at = 0;  // of a pause: accept again then
  };
  /// Takes one connection if there is one; never blocks.
  Accepted accept();

  int fd() const { return fd_.get(); }
  std::uint16_t port() const { return port_; }
  /// Connections dropped for want of a descriptor.
  std::uint64_t dropped() const { return dropped_; }
  void close();

 private:
  const Clock& clock_;
  UniqueFd fd_;
  UniqueFd reserve_;
  std::uint16_t port_ = 0;
  Ns pause_ = 0;
  Ns last_told_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace parkbench::server
