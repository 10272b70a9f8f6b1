#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "parkbench/base/unique_fd.hpp"

namespace parkbench::workload::file {

/// A file of the run's own, unlinked as soon as it is open, so that nothing is left behind however the run ends.
class TemporaryFile {
 public:
  /// In $TMPDIR or /tmp. @throws Failure(internal) with the folder and the reason.
  explicit TemporaryFile(std::uint32_t kib);

  /// Reads all of it by blocking calls, 64 KiB each, and asks the kernel to forget it: the page cache cannot be dropped
  /// without privilege, but pages of one file may be let go where its file system has them on a disk (tmpfs has none).
  /// @return bytes read. @throws Failure(internal)
  std::int64_t read() const;

 private:
  UniqueFd fd_;
};

}  // namespace parkbench::workload::file
