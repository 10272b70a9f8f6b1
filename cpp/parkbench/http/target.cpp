#include "parkbench/http/target.hpp"

#include <algorithm>

#include "parkbench/http/characters.hpp"
#include "parkbench/http/header_lines.hpp"

namespace parkbench::http {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr CharacterSet kAddressCharacters("0123456789abcdefABCDEF:.");

/// Each '%' is followed by two hex digits, and the byte is not zero.
bool well_escaped(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3)) {
    if (at + 2 >= text.size() || !kHexDigits.has(text[at + 1]) || !kHexDigits.has(text[at + 2])) return false;
    if (text[at + 1] == '0' && text[at + 2] == '0') return false;
  }
  return true;
}

}  // namespace

bool is_host(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || close < 3) return false;
    if (!kAddressCharacters.has_all_of(text.substr(1, close - 1))) return false;
    text.remove_prefix(close + 1);
    if (text.empty()) return true;
    return text.starts_with(':') && kDigits.has_all_of(text.substr(1));
  }
  const std::size_t colon = text.find(':');
  if (!kHostCharacters.has_all_of(text.substr(0, colon)) || !well_escaped(text.substr(0, colon))) return false;
  return colon == std::string_view::npos || kDigits.has_all_of(text.substr(colon + 1));
}

const char* split_target(std::string_view target, bool asterisk, Target& parts) {
  parts = {};
  if (target == "*" && asterisk) {
    parts.path = target;
    return nullptr;
  }
  if (!kTargetCharacters.has_all_of(target)) return "the target holds a character that must be escaped";
  std::string_view rest = target;
  if (!rest.starts_with('/')) {
    if (rest.size() <= kScheme.size() || !equal_ignoring_case(rest.substr(0, kScheme.size()), kScheme)) {
      return "the target does not begin with a slash";
    }
    rest.remove_prefix(kScheme.size());
    const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
    const std::string_view host = rest.substr(0, end);
    if (host.empty() || !is_host(host)) return "the target's host is not a host";
    rest.remove_prefix(end);
  }
  if (!well_escaped(rest)) return "the target holds a bad escape";
  const std::size_t question = rest.find('?');
  parts.path = rest.substr(0, question);
  if (question != std::string_view::npos) parts.query = rest.substr(question + 1);
  return nullptr;
}

}  // namespace parkbench::http
