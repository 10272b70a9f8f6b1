#include "parkbench/http/coding.hpp"

#include "parkbench/http/characters.hpp"
#include "parkbench/http/header_lines.hpp"

namespace parkbench::http {
namespace {

constexpr std::string_view kChunked = "chunked";

bool holds_chunked(std::string_view text) {
  for (; text.size() >= kChunked.size(); text.remove_prefix(1)) {
    if (equal_ignoring_case(text.substr(0, kChunked.size()), kChunked)) return true;
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

}  // namespace

Coding transfer_coding(std::string_view value) {
  if (equal_ignoring_case(value, kChunked)) return Coding::chunked;
  for (std::string_view rest = value;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view coding = trimmed(rest.substr(0, comma));
    const bool last = comma == std::string_view::npos;
    if (coding.empty() || !kTokenCharacters.has_all_of(coding)) return Coding::malformed;
    if (last && equal_ignoring_case(coding, kChunked)) return Coding::unknown;  // something else came before it
    if (holds_chunked(coding)) return Coding::malformed;
    if (last) return Coding::unknown;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace parkbench::http
