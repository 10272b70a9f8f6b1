#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "parkbench/base/clock.hpp"
#include "parkbench/http/limits.hpp"

namespace parkbench::server {

/// Where a server listens and what it takes; equal for all models.
struct ServerOptions {
  std::string host = "127.0.0.1";  // an address, IPv4 or IPv6, no name
  std::uint16_t port = 0;          // 0: any free one
  int backlog = 4096;
  int max_connections = 0;  // 0: what the limit of descriptors leaves, less 64
  http::Limits limits = {};
  Ns planted_accept_delay = 0;             // tests only: between two accepts; each connection then serves one request
  std::optional<std::int64_t> limit = {};  // admission: requests in the model at once, more: 503
};

}  // namespace parkbench::server
