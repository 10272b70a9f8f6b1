#pragma once

#include <string>
#include <vector>

namespace parkbench::io {

/// Numeric addresses of a host name, in the resolver's order, none twice. A numeric address comes back as it is.
/// Blocks for as long as the name server takes, so it is for set-up only, never for a request.
/// @throws Failure(db_connect) when the name is unknown.
std::vector<std::string> resolve_host(const std::string& name);

/// Is this numeric address (IPv4 or IPv6) the machine itself: 127.0.0.0/8, ::1, ::ffff:127.0.0.0/104?
bool is_loopback_address(const std::string& address);

}  // namespace parkbench::io
