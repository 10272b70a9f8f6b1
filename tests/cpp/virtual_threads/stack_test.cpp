#include "parkbench/virtual_threads/stack.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <string>

#include "parkbench/virtual_threads/sanitizers.hpp"

namespace parkbench::virtual_threads {
namespace {

class Guarded : public testing::TestWithParam<GuardMode> {
 protected:
  void SetUp() override {
    if (GetParam() == GuardMode::madv_guard && StackPool::best_guard() != GuardMode::madv_guard) {
      GTEST_SKIP() << "this kernel has no MADV_GUARD_INSTALL (Linux 6.13)";
    }
  }
};

TEST_P(Guarded, StacksAreUsableFromEndToEndAndDoNotOverlap) {
  StackPool pool(64 * 1024, GetParam());
  std::set<char*> lows;
  for (std::size_t i = 0; i < StackPool::kStacksPerSlab + 2; ++i) {
    const Stack stack = pool.take();
    EXPECT_EQ(stack.number, i);
    ASSERT_EQ(stack.bytes, 64U * 1024U);
    auto* low = static_cast<char*>(stack.low);
    low[0] = 1;
    low[stack.bytes - 1] = 1;
    lows.insert(low);
  }
  char* last = nullptr;
  for (char* low : lows) {
    EXPECT_TRUE(last == nullptr || low - last >= 64 * 1024);
    last = low;
  }
  EXPECT_EQ(pool.taken(), StackPool::kStacksPerSlab + 2);
}

TEST_P(Guarded, AnOddSizeIsRoundedUpToPages) {
  StackPool pool(10'000, GetParam());
  EXPECT_EQ(pool.take().bytes, 12'288U);
}

TEST_P(Guarded, GuardsAreFoundByAddressAndNothingElseIs) {
  StackPool pool(64 * 1024, GetParam());
  pool.take();
  const Stack second = pool.take();
  auto* low = static_cast<char*>(second.low);
  EXPECT_EQ(pool.guard_at(low - 1), 1);
  EXPECT_EQ(pool.guard_at(low - StackPool::kGuardBytes), 1);
  EXPECT_EQ(pool.guard_at(low), -1);
  EXPECT_EQ(pool.guard_at(low + second.bytes - 1), -1);
  EXPECT_EQ(pool.guard_at(low + second.bytes), -1) << "the guard of a stack that nobody has taken";
  EXPECT_EQ(pool.guard_at(&pool), -1);
  EXPECT_EQ(pool.guard_at(nullptr), -1);
}

TEST_P(Guarded, WritingBelowAStackFaults) {
  if (PARKBENCH_ASAN || PARKBENCH_TSAN) GTEST_SKIP() << "the sanitizers take the fault themselves";
  StackPool pool(64 * 1024, GetParam());
  auto* low = static_cast<volatile char*>(pool.take().low);
  EXPECT_EXIT(low[-1] = 1, testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(low[-static_cast<std::ptrdiff_t>(StackPool::kGuardBytes)] = 1, testing::KilledBySignal(SIGSEGV), "");
}

INSTANTIATE_TEST_SUITE_P(Modes, Guarded, testing::Values(GuardMode::madv_guard, GuardMode::mprotect),
                         [](const auto& mode) { return std::string(to_string(mode.param)); });

}  // namespace
}  // namespace parkbench::virtual_threads
