#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace parkbench::io {

/// How a call on a non-blocking socket ended: bytes moved, or the errno value.
struct Moved {
  std::size_t bytes = 0;
  int error = 0;  // EAGAIN: not now

  bool not_now() const;
};

// In a translation unit of their own and never inlined: a virtual thread may go on on another OS thread, so that errno
// must not be looked up by code that also parks.

/// recv; 0 bytes without an error: the peer has finished sending.
Moved receive(int fd, std::span<char> space);
/// send without SIGPIPE.
Moved send(int fd, std::string_view bytes);
/// No more will be sent; the peer reads to the end.
void shut_down_sending(int fd);
/// The close of this socket will be a reset, by which the peer sees that what it got is not whole.
void reset_on_close(int fd);

}  // namespace parkbench::io
