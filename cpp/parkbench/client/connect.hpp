#pragma once

#include "parkbench/base/unique_fd.hpp"
#include "parkbench/client/address.hpp"

namespace parkbench::client {

// Errors are given back instead of left in errno: a virtual thread may go on elsewhere before it has looked there.

/// A non-blocking socket with TCP_NODELAY on its way to address. @return 0, EINPROGRESS or what went wrong.
int begin_connect(const Address& address, UniqueFd& socket);
/// How a connect that was in progress has ended; EINPROGRESS when it has not.
int end_connect(int fd);

}  // namespace parkbench::client
