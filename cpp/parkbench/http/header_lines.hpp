#pragma once

#include <optional>
#include <string_view>

namespace parkbench::http {

/// Whether two texts are the same but for the case of their ASCII letters.
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// The value of the first line of that name, without the blanks around it. The lines are checked ones: each ends in
/// CRLF and holds a colon.
std::optional<std::string_view> find_header(std::string_view lines, std::string_view name);

}  // namespace parkbench::http
