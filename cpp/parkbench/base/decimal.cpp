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

}  // namespace parkbench
