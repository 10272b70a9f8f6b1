#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parkbench::http {

/// The raw value of a parameter in `a=1&b=2`; nothing when it is missing or there twice.
std::optional<std::string_view> parameter(std::string_view query, std::string_view name);
/// A whole number without sign, blanks or exponent, at most `most`; nothing for anything else.
std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t most);
/// A decimal number such as 12 or 0.5, without sign or exponent, at most `most`.
std::optional<double> decimal_number(std::string_view text, double most);

}  // namespace parkbench::http
