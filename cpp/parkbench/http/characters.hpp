#pragma once

#include <array>
#include <string_view>

namespace parkbench::http {

/// A set of bytes, asked in one load.
class CharacterSet {
 public:
  constexpr explicit CharacterSet(std::string_view members) {
    for (const char member : members) in_[static_cast<unsigned char>(member)] = true;
  }
  constexpr bool has(char byte) const { return in_[static_cast<unsigned char>(byte)]; }
  constexpr bool has_all_of(std::string_view text) const {
    for (const char byte : text) {
      if (!has(byte)) return false;
    }
    return true;
  }

 private:
  std::array<bool, 256> in_{};
};

#define PARKBENCH_ALPHANUMERIC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/// RFC 9110's tchar: methods, header names, codings.
inline constexpr CharacterSet kTokenCharacters(PARKBENCH_ALPHANUMERIC "!#$%&'*+-.^_`|~");
/// Of a path or a query. '!' would be allowed by RFC 3986, but is refused with the rest of what needs no sending raw.
inline constexpr CharacterSet kTargetCharacters(PARKBENCH_ALPHANUMERIC "-._~:/?@[]$&'()*+,;=%|");
/// Of a host's name: no comma, no user, no path.
inline constexpr CharacterSet kHostCharacters(PARKBENCH_ALPHANUMERIC "-._~%");
inline constexpr CharacterSet kHexDigits("0123456789abcdefABCDEF");
inline constexpr CharacterSet kDigits("0123456789");

#undef PARKBENCH_ALPHANUMERIC

}  // namespace parkbench::http
