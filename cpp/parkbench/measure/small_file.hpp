#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "parkbench/base/unique_fd.hpp"

namespace parkbench::measure {

/// What one read of a file of /proc gives, at most `most` bytes; empty when it cannot be read.
inline std::string read_small_file(const char* path, std::size_t most = 4096) {
  const UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return {};
  std::string text(most, '\0');
  const auto n = read(file.get(), text.data(), text.size());
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

}  // namespace parkbench::measure
