#include "parkbench/base/decimal.hpp"

namespace parkbench {

void append_decimal(std::string& text, std::int64_t value, std::int64_t unit, int digits) {
  if (value < 0) {
    text += '-';
    value = -value;
  }
  text += std::to_string(value / unit);
  if (digits <= 0) return;
  text += '.';
  std::int64_t rest = value % unit;
  for (; digits > 0; --digits) {
    rest *= 10;
    text += static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
}

std::optional<std::int64_t> parse_decimal(std::string_view text, int digits) {
  constexpr std::int64_t kMostWhole = 1'000'000'000;
  std::int64_t value = 0;
  int decimals = -1;  // none yet
  bool any = false;
  for (const char c : text) {
    if (c == '.') {
      if (decimals >= 0) return std::nullopt;
      decimals = 0;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    any = true;
    if (decimals == digits) continue;
    value = value * 10 + (c - '0');
    if (decimals >= 0) ++decimals;
    if (decimals < 0 && value >= kMostWhole) return std::nullopt;
  }
  if (!any) return std::nullopt;
  for (int d = decimals < 0 ? 0 : decimals; d < digits; ++d) value *= 10;
  return value;
}

}  // namespace parkbench
