#include "parkbench/http/chunk_decoder.hpp"

#include <algorithm>
#include <cstring>

#include "parkbench/http/characters.hpp"

namespace parkbench::http {
namespace {

constexpr int kMostDigits = 16;

std::uint64_t hex_value(char digit) {
  if (digit <= '9') return static_cast<std::uint64_t>(digit - '0');
  return static_cast<std::uint64_t>((digit | 0x20) - 'a' + 10);
}

/// What may stand between quotes, and in a trailer's value: all but control characters.
bool is_text(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return (value >= 0x20 && value != 0x7f) || byte == '\t';
}

}  // namespace

ChunkDecoder::Found ChunkDecoder::extension_byte(char byte) {
  // A blank is refused wherever the grammar tolerates "bad white space": nobody sends it but to confuse.
  switch (state_) {
    case State::extension:
    case State::extension_value:
      if (state_ == State::extension_value && byte == '"') {
        state_ = State::quoted;
      } else if (kTokenCharacters.has(byte)) {
        state_ = state_ == State::extension ? State::extension_name : State::extension_token;
      } else {
        return Found::malformed;
      }
      return Found::more;
    case State::quoted:
      if (byte == '"') {
        state_ = State::quoted_end;
      } else if (byte == '\\') {
        state_ = State::quoted_pair;
      } else if (!is_text(byte)) {
        return Found::malformed;
      }
      return Found::more;
    case State::quoted_pair:
      if (!is_text(byte)) return Found::malformed;
      state_ = State::quoted;
      return Found::more;
    default:  // extension_name, extension_token, quoted_end
      if (byte == '\r') {
        state_ = State::size_line_feed;
      } else if (byte == ';') {
        state_ = State::extension;
      } else if (byte == '=' && state_ == State::extension_name) {
        state_ = State::extension_value;
      } else if (state_ == State::quoted_end || !kTokenCharacters.has(byte)) {
        return Found::malformed;
      }
      return Found::more;
  }
}

ChunkDecoder::Found ChunkDecoder::size_line(char byte, const ChunkLimits& limits) {
  switch (state_) {
    case State::size_first:
    case State::size:
      if (kHexDigits.has(byte)) {
        if (++digits_ > kMostDigits) return Found::malformed;
        left_ = left_ * 16 + hex_value(byte);
        state_ = State::size;
        return Found::more;
      }
      if (state_ == State::size_first) return Found::malformed;
      if (byte == '\r') {
        state_ = State::size_line_feed;
        return Found::more;
      }
      if (byte != ';') return Found::malformed;
      state_ = State::extension;
      return ++extensions_ > limits.extensions ? Found::malformed : Found::more;
    case State::size_line_feed:
      if (byte != '\n') return Found::malformed;
      if (left_ > limits.body - body_) return Found::body_limit;
      digits_ = 0;
      state_ = left_ > 0 ? State::data : State::trailer_first;
      return Found::more;
    default:
      if (byte != '\r' && ++extensions_ > limits.extensions) return Found::malformed;
      return extension_byte(byte);
  }
}

ChunkDecoder::Found ChunkDecoder::trailer(char byte, const ChunkLimits& limits) {
  if (++trailer_bytes_ > limits.trailer_block) return Found::trailer_limit;
  switch (state_) {
    case State::trailer_first:
      if (byte == '\r') {
        state_ = State::end_line_feed;
        return Found::more;
      }
      if (!kTokenCharacters.has(byte)) return Found::malformed;
      if (++trailers_ > limits.trailers) return Found::trailer_limit;
      trailer_line_ = 1;
      state_ = State::trailer_name;
      return Found::more;
    case State::trailer_name:
    case State::trailer_value:
      if (byte == '\r' && state_ == State::trailer_value) {
        state_ = State::trailer_line_feed;
        return Found::more;
      }
      if (++trailer_line_ > limits.trailer_line) return Found::trailer_limit;
      if (state_ == State::trailer_value) return is_text(byte) ? Found::more : Found::malformed;
      if (byte == ':') {
        state_ = State::trailer_value;
      } else if (!kTokenCharacters.has(byte)) {
        return Found::malformed;
      }
      return Found::more;
    case State::trailer_line_feed:
      state_ = State::trailer_first;
      return byte == '\n' ? Found::more : Found::malformed;
    default:  // end_line_feed
      return byte == '\n' ? Found::complete : Found::malformed;
  }
}

ChunkDecoder::Step ChunkDecoder::decode(const char* bytes, std::size_t size, char* out, const ChunkLimits& limits) {
  std::size_t at = 0;
  std::size_t decoded = 0;
  while (at < size) {
    if (state_ == State::data) {
      const std::size_t piece = std::min<std::uint64_t>(left_, size - at);
      if (out != nullptr && out + decoded != bytes + at) std::memmove(out + decoded, bytes + at, piece);
      at += piece;
      decoded += piece;
      body_ += piece;
      left_ -= piece;
      if (left_ == 0) state_ = State::data_return;
      continue;
    }
    const char byte = bytes[at++];
    Found found = Found::more;
    if (state_ < State::data) {
      found = size_line(byte, limits);
    } else if (state_ > State::data_line_feed) {
      found = trailer(byte, limits);
    } else if (state_ == State::data_return) {
      state_ = State::data_line_feed;
      if (byte != '\r') found = Found::malformed;
    } else {
      state_ = State::size_first;
      if (byte != '\n') found = Found::malformed;
    }
    if (found != Found::more) return {found, at, decoded};
  }
  return {Found::more, at, decoded};
}

}  // namespace parkbench::http
