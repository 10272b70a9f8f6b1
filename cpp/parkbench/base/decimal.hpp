#pragma once

#include <cstdint>
#include <string>

namespace parkbench {

/// Appends value / unit with `digits` decimals, cut off: 1,234,567 of unit 1,000,000 with 3 digits is 1.234. In
/// integers, so that nanoseconds come through exactly; negative values get a sign.
void append_decimal(std::string& text, std::int64_t value, std::int64_t unit, int digits);

}  // namespace parkbench
