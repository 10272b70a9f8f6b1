#pragma once

#include <cstdint>
#include <string_view>

namespace parkbench::http {

enum class Coding : std::uint8_t { chunked, unknown, malformed };

/// Judges a Transfer-Encoding. Only `chunked` alone is taken. What holds that word otherwise is malformed unless it is
/// a list of codings with chunked as its last: where a body ends must never depend on who reads the header.
Coding transfer_coding(std::string_view value);

}  // namespace parkbench::http
