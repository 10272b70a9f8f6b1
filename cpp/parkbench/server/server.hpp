#pragma once

#include <cstdint>

#include "parkbench/models/model.hpp"

namespace parkbench::server {

/// What a server has seen besides its model's counters.
struct ServerCounters {
  std::int64_t connections = 0;  // open now
  std::uint64_t connections_total = 0;
  std::uint64_t connections_dropped = 0;  // for want of a descriptor or over max_connections
  std::uint64_t requests = 0;             // complete ones, refused ones too
  std::uint64_t bad_requests = 0;         // answered by the protocol, never handled
};

/// A model as an HTTP/1.1 service; it listens from its construction on. stop() (of Runtime) ends it gracefully: no
/// new connection, what is in flight is answered, then everything is closed.
class Server : public models::Runtime {
 public:
  virtual std::uint16_t port() const = 0;
  virtual ServerCounters server_counters() const = 0;
  /// Connections that the kernel has and nobody has accepted yet. From any thread.
  virtual std::int64_t accept_queue() const = 0;
};

}  // namespace parkbench::server
