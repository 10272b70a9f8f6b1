#pragma once

#include <cstddef>
#include <cstdint>

#include "parkbench/http/date.hpp"
#include "parkbench/http/response.hpp"

namespace parkbench::http {

/// How the end of an answer's body is found.
enum class Framing : std::uint8_t { length, chunked, until_close, none };
enum class ConnectionHeader : std::uint8_t { none, close, keep_alive };

/// Whether an answer of that status has a body at all.
inline bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

/// As many bytes write_answer_head() writes at most.
std::size_t answer_head_room(const Response& response);
/// Writes status line, headers and the empty line; returns where it stopped.
char* write_answer_head(char* out, const Response& response, Framing framing, ConnectionHeader connection,
                        std::int64_t unix_seconds);

}  // namespace parkbench::http
