#include "parkbench/http/header_lines.hpp"

#include <algorithm>

namespace parkbench::http {
namespace {

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter; }

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char left, char right) { return lower(left) == lower(right); });
}

std::optional<std::string_view> find_header(std::string_view lines, std::string_view name) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\r');
    if (end > name.size() && lines[name.size()] == ':' && equal_ignoring_case(lines.substr(0, name.size()), name)) {
      std::string_view value = lines.substr(0, end).substr(name.size() + 1);
      const std::size_t first = value.find_first_not_of(" \t");
      if (first == std::string_view::npos) return std::string_view();
      return value.substr(first, value.find_last_not_of(" \t") + 1 - first);
    }
    if (end == std::string_view::npos) break;
    lines.remove_prefix(std::min(end + 2, lines.size()));
  }
  return std::nullopt;
}

}  // namespace parkbench::http
