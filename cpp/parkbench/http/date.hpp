#pragma once

#include <cstddef>
#include <cstdint>

namespace parkbench::http {

/// Where the Date of answers comes from: seconds since 1970, between 1970 and 9999.
using UnixSeconds = std::int64_t (*)();

inline constexpr std::size_t kDateLength = 29;

/// Writes `Sun, 06 Nov 1994 08:49:37 GMT`: kDateLength characters, no zero byte. About 10 ns, so nothing is cached:
/// a text kept for a second would have to be shared by all threads.
void write_date(std::int64_t unix_seconds, char* out);

}  // namespace parkbench::http
