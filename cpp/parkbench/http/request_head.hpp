#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "parkbench/http/limits.hpp"
#include "parkbench/http/request.hpp"

namespace parkbench::http {

/// A text by its place, which stays right when the bytes move.
struct Place {
  std::uint32_t at = 0;
  std::uint32_t size = 0;
  std::string_view in(const char* bytes) const { return {bytes + at, size}; }
};

/// What the session answers by itself, and why.
struct Refusal {
  std::uint16_t status = 0;  // 0: nothing is wrong
  const char* why = nullptr;
};

/// What the first line and the headers of a request say.
struct RequestHead {
  Method method = Method::get;
  bool chunked = false;
  bool expects_continue = false;
  bool keep_alive = true;
  std::uint8_t minor_version = 1;
  Place target;
  Place path;
  Place query;
  std::uint64_t content_length = 0;
};

/// Reads what HeadScanner let through: Beast's parser takes it apart, and what that lets pass though RFC 9112 does not
/// (or though no honest client sends it) is refused on top.
/// @param bytes from the beginning of the first line to its end, or to the end of the head.
/// @param first_line length of the first line with its CRLF.
inline constexpr char kMalformedFirstLine[] = "the first line is malformed";

Refusal read_request_head(std::string_view bytes, std::size_t first_line, const Limits& limits, RequestHead& head);

}  // namespace parkbench::http
