#pragma once

#include <atomic>
#include <cstdint>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/unique_fd.hpp"
#include "parkbench/server/options.hpp"

namespace parkbench::server {

/// A listening socket that survives running out of descriptors: it keeps one in reserve, gives it up to take and drop
/// a connection with 503, and then pauses, so that a level-triggered wait does not spin.
class Listener {
 public:
  /// @param shared several listeners on one port (SO_REUSEPORT); those after the first are given its port().
  /// @throws Failure(internal) with one sentence: address, port, why, what to do (in use, no permission, not local).
  Listener(const ServerOptions& options, bool shared, const Clock& clock);

  /// Shared listeners of two servers would silently divide a port: to be asked before the first one is made.
  /// @throws Failure(internal) as the constructor.
  static void require_free_port(const ServerOptions& options);

  struct Accepted {
    enum class Kind : std::uint8_t { connection, none, pause } kind;
    UniqueFd fd;       // of a connection: non-blocking, TCP_NODELAY
    Ns resume_at = 0;  // of a pause: accept again then
  };
  /// Takes one connection if there is one; never blocks. Until it says none or pause there may be more.
  Accepted accept();
  /// Drops a connection with a short 503, because there are too many.
  void refuse(UniqueFd connection);

  int fd() const { return fd_.get(); }
  std::uint16_t port() const { return port_; }
  /// Connections dropped with 503; from any thread.
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  /// Connections that wait to be accepted; from any thread.
  std::int64_t waiting() const;
  void close();

 private:
  Accepted starved(bool descriptors);
  void tell(Ns now, const char* why);

  static constexpr Ns kShortestPause = 10 * kMillisecond;
  static constexpr Ns kLongestPause = 100 * kMillisecond;
  static constexpr Ns kTellEvery = 5 * kSecond;

  const Clock& clock_;
  const Ns planted_delay_;
  UniqueFd fd_;
  std::atomic<int> looked_at_;  // fd_, for waiting(); a late look at another socket does no harm: it is no listener
  UniqueFd reserve_;
  std::uint16_t port_ = 0;
  Ns pause_ = 0;
  Ns tell_again_at_ = 0;
  Ns next_accept_at_ = 0;  // with a planted delay
  std::atomic<std::uint64_t> dropped_{0};
};

/// How many connections a server takes: its option, or what the limit of descriptors leaves for it.
/// @throws Failure(out_of_memory) with one sentence when that is too little to serve at all.
int connection_limit(const ServerOptions& options);

}  // namespace parkbench::server
