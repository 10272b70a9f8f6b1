#pragma once

#include <cstddef>
#include <cstdint>

namespace parkbench::http {

/// How much a chunked body may hold.
struct ChunkLimits {
  std::size_t body;
  std::size_t extensions;     // bytes, of all chunks together
  std::size_t trailer_block;  // bytes
  std::size_t trailer_line;   // bytes
  std::size_t trailers;       // lines
};

/// Takes a chunked body apart, byte by byte and strictly: sizes of 1 to 16 hex digits, no blank behind them, CRLF and
/// nothing else, quotes of an extension closed. Trailers are checked, counted and dropped.
class ChunkDecoder {
 public:
  enum class Found : std::uint8_t { more, complete, malformed, body_limit, trailer_limit };

  struct Step {
    Found found;
    std::size_t used;     // of the bytes given
    std::size_t decoded;  // bytes of body that now lie at `out`
  };
  /// @param out where the body goes; it may be `bytes` itself or lie before it. Null: the body is dropped.
  Step decode(const char* bytes, std::size_t size, char* out, const ChunkLimits& limits);

 private:
  enum class State : std::uint8_t {
    size_first,
    size,
    extension,  // behind a ';'
    extension_name,
    extension_value,  // behind a '='
    extension_token,
    quoted,
    quoted_pair,
    quoted_end,
    size_line_feed,
    data,
    data_return,
    data_line_feed,
    trailer_first,
    trailer_name,
    trailer_value,
    trailer_line_feed,
    end_line_feed,
  };
  Found size_line(char byte, const ChunkLimits& limits);
  Found extension_byte(char byte);
  Found trailer(char byte, const ChunkLimits& limits);

  std::uint64_t left_ = 0;  // of the present chunk
  std::size_t body_ = 0;
  std::uint32_t extensions_ = 0;
  std::uint32_t trailer_bytes_ = 0;
  std::uint32_t trailer_line_ = 0;
  std::uint16_t trailers_ = 0;
  std::uint8_t digits_ = 0;
  State state_ = State::size_first;
};

}  // namespace parkbench::http
