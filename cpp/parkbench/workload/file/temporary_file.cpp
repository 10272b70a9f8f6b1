#include "parkbench/workload/file/temporary_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <vector>

#include "parkbench/base/error.hpp"

namespace parkbench::workload::file {
namespace {

constexpr std::size_t kPiece = 64 * 1024;

[[noreturn]] void fail(const std::string& what, int error) {
  throw Failure(ErrorCode::internal, what + ": " + system_error_text(error));
}

UniqueFd open_unlinked() {
  const char* const folder = std::getenv("TMPDIR");
  std::string name = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/parkbench-file-XXXXXX";
  UniqueFd fd(mkostemp(name.data(), O_CLOEXEC));
  if (!fd) fail("cannot create " + name, errno);
  unlink(name.c_str());
  return fd;
}

/// Not inlined, and errno is read in here: a caller on a virtual thread must not keep its address.
[[gnu::noinline]] ssize_t read_at(int fd, char* buffer, std::size_t size, std::int64_t at, int& error) {
  const ssize_t got = pread(fd, buffer, size, at);
  error = got < 0 ? errno : 0;
  return got;
}

}  // namespace

TemporaryFile::TemporaryFile(std::uint32_t kib) : fd_(open_unlinked()) {
  std::vector<char> piece(kPiece, 'x');
  std::size_t left = std::size_t{kib} * 1024;
  while (left > 0) {
    const ssize_t written = ::write(fd_.get(), piece.data(), std::min(left, kPiece));
    if (written < 0) fail("cannot write the temporary file", errno);
    left -= static_cast<std::size_t>(written);
  }
  fdatasync(fd_.get());  // only clean pages can be let go
}

std::int64_t TemporaryFile::read() const {
  // On the heap: it is larger than a virtual thread's stack.
  const auto buffer = std::make_unique_for_overwrite<char[]>(kPiece);
  std::int64_t at = 0;
  for (;;) {
    int error = 0;
    const ssize_t got = read_at(fd_.get(), buffer.get(), kPiece, at, error);
    if (got < 0 && error == EINTR) continue;
    if (got < 0) fail("cannot read the temporary file", error);
    if (got == 0) break;
    at += got;
  }
  posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_DONTNEED);
  return at;
}

}  // namespace parkbench::workload::file
