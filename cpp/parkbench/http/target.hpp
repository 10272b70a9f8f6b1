#pragma once

#include <string_view>

namespace parkbench::http {

/// A request target, taken apart; the texts are parts of it; an absolute form may have no path.
struct Target {
  std::string_view path;
  std::string_view query;
};

/// @param asterisk whether `*` is allowed (OPTIONS).
/// @returns null, or what is wrong, in one sentence.
const char* split_target(std::string_view target, bool asterisk, Target& parts);

/// Whether it may stand in Host: `name`, `1.2.3.4:80`, `[::1]:80`, or nothing.
bool is_host(std::string_view text);

}  // namespace parkbench::http
