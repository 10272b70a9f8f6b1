#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace parkbench::workload {

/// Sections of code that hold a carrier or a loop while they block.
enum class PinSection : std::uint8_t { filter_lock, file_read, blocking_call, lock };
inline constexpr std::size_t kPinSections = 4;

constexpr std::string_view to_string(PinSection section) {
  constexpr std::array<std::string_view, kPinSections> kNames = {"filter_lock", "file_read", "blocking_call", "lock"};
  return kNames[static_cast<std::size_t>(section)];
}

}  // namespace parkbench::workload
