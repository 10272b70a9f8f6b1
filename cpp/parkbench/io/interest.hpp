#pragma once

#include <cstdint>

namespace parkbench::io {

/// What a descriptor is waited for.
enum class Interest : std::uint8_t { read = 0, write = 1 };

}  // namespace parkbench::io
