#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parkbench {

/// Appends value / unit with `digits` decimals, cut off: 1,234,567 of unit 1,000,000 with 3 digits is 1.234. In
/// integers, so that nanoseconds come through exactly; negative values get a sign.
void append_decimal(std::string& text, std::int64_t value, std::int64_t unit, int digits);

/// The decimal number, times 10 to the power of `digits`: 12.5 with 3 digits is 12,500. Further digits are cut off.
/// Nothing for a sign, a blank, an exponent, no digit at all, or more than 9 digits before the point. digits <= 9.
std::optional<std::int64_t> parse_decimal(std::string_view text, int digits);

}  // namespace parkbench
