#pragma once

#include <cstddef>

#include "parkbench/base/clock.hpp"

namespace parkbench::http {

/// How much of a request is taken, and how long it may take to come. What is over ends in an answer, then a close.
struct Limits {
  std::size_t target = 8'000;               // bytes; more: 414
  std::size_t header_block = 32 * 1024;     // request line and headers together; more: 431
  std::size_t header_line = 8 * 1024;       // more: 431
  std::size_t headers = 100;                // more: 431
  std::size_t body = 1024 * 1024;           // more, declared or not: 413, before it is read
  std::size_t chunk_extensions = 4 * 1024;  // of all chunks of one body; more: 400
  Ns header_time = 10 * kSecond;            // first byte (or connect) -> end of the headers; then 408
  Ns body_time = 30 * kSecond;              // end of the headers -> end of the body; then 408
  Ns idle_time = 60 * kSecond;              // kept alive without a byte of the next request; then a silent close
  Ns write_time = 30 * kSecond;             // the peer takes nothing of an answer; then a close
  Ns linger_time = kSecond;                 // after an error: what still comes is read and dropped, so that it is seen
};

}  // namespace parkbench::http
