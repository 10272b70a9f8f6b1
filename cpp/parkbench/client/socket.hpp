#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "parkbench/base/unique_fd.hpp"
#include "parkbench/client/address.hpp"

namespace parkbench::client {

// System calls that give the error back instead of leaving it in errno: a virtual thread may go on elsewhere before it
// has looked there. They stand in a translation unit of their own so that nothing of errno is inlined into a caller.

/// How many bytes went, or why none: EAGAIN when the call would have waited. An end of the stream is 0 bytes, error 0.
struct Transfer {
  std::size_t bytes = 0;
  int error = 0;
};

Transfer send_some(int fd, std::string_view bytes);
Transfer receive_some(int fd, std::span<char> space);
/// A non-blocking socket with TCP_NODELAY on its way to address. @return 0, EINPROGRESS or what went wrong.
int begin_connect(const Address& address, UniqueFd& socket);
/// How a connect that was in progress has ended; EINPROGRESS when it has not.
int end_connect(int fd);

}  // namespace parkbench::client
