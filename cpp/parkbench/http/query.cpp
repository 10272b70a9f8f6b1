#include "parkbench/http/query.hpp"

#include <charconv>

namespace parkbench::http {
namespace {

constexpr std::size_t kDigits = 18;  // as many always fit an int64

bool is_digits(std::string_view text) {
  if (text.empty() || text.size() > kDigits) return false;
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<std::string_view> parameter(std::string_view query, std::string_view name) {
  std::optional<std::string_view> found;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(pair.size() == query.size() ? pair.size() : pair.size() + 1);
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    if (found) return std::nullopt;
    found = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
  }
  return found;
}

std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t most) {
  if (!is_digits(text)) return std::nullopt;
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  if (value > most) return std::nullopt;
  return value;
}

std::optional<double> decimal_number(std::string_view text, double most) {
  const std::size_t point = text.find('.');
  if (!is_digits(text.substr(0, point))) return std::nullopt;
  if (point != std::string_view::npos && !is_digits(text.substr(point + 1))) return std::nullopt;
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (!(value <= most)) return std::nullopt;
  return value;
}

}  // namespace parkbench::http
