#include "parkbench/io/connect_error.hpp"

#include <cerrno>

namespace parkbench::io {

ErrorCode connect_error(int error_number) {
  switch (error_number) {
    case EADDRNOTAVAIL:
      return ErrorCode::address_unavailable;
    case ETIMEDOUT:
      return ErrorCode::connect_timeout;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
      return ErrorCode::out_of_memory;
    default:
      return ErrorCode::connect_refused;
  }
}

}  // namespace parkbench::io
