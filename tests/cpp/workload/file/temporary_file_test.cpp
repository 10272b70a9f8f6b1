#include "parkbench/workload/file/temporary_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "parkbench/base/error.hpp"

namespace parkbench::workload::file {
namespace {

TEST(TemporaryFile, is_read_whole_and_again) {
  const TemporaryFile file(200);
  EXPECT_EQ(file.read(), 200 * 1024);
  EXPECT_EQ(file.read(), 200 * 1024);
  EXPECT_EQ(TemporaryFile(0).read(), 0);
}

TEST(TemporaryFile, leaves_nothing_in_its_folder) {
  std::string folder = ::testing::TempDir() + "/parkbench-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const char* const before = getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", folder.c_str(), 1);
  {
    const TemporaryFile file(4);
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    EXPECT_EQ(file.read(), 4096);
  }
  std::filesystem::remove(folder);
  try {
    const TemporaryFile file(4);
    FAIL() << "a folder that is gone was taken";
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find(folder), std::string::npos);
  }
  kept.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace parkbench::workload::file
