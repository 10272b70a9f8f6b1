#include "parkbench/base/thread.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>

#include "parkbench/base/error.hpp"
#include "parkbench/base/random.hpp"
#include "parkbench/base/unique_fd.hpp"

namespace parkbench {
namespace {

TEST(Thread, has_its_name_its_stack_and_is_joined) {
  std::string name;
  std::size_t stack = 0;
  {
    Thread thread(
        "a-name-longer-than-15",
        [&] {
          std::array<char, 16> text{};
          pthread_getname_np(pthread_self(), text.data(), text.size());
          name = text.data();
          pthread_attr_t attributes;
          pthread_getattr_np(pthread_self(), &attributes);
          pthread_attr_getstacksize(&attributes, &stack);
          pthread_attr_destroy(&attributes);
        },
        256 * 1024);
  }
  EXPECT_EQ(name, "a-name-longer-t");
  EXPECT_GE(stack, 256U * 1024);
  EXPECT_LT(stack, 1024U * 1024);
}

TEST(Thread, leaves_signals_to_the_main_thread) {
  bool blocked = false;
  Thread("signals", [&] {
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, nullptr, &set);
    blocked = sigismember(&set, SIGINT) == 1 && sigismember(&set, SIGSEGV) == 0;
  }).join();
  EXPECT_TRUE(blocked);
}

TEST(Thread, says_which_limit_stopped_it) {
  try {
    Thread thread("huge", [] {}, std::size_t{1} << 60);
    FAIL() << "a stack of 2^60 bytes was given";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::out_of_memory);
    EXPECT_NE(std::string(failure.what()).find("huge"), std::string::npos);
  }
}

TEST(Thread, can_be_moved) {
  int ran = 0;
  Thread a("a", [&] { ++ran; });
  Thread b = std::move(a);
  EXPECT_FALSE(a.joinable());  // NOLINT(bugprone-use-after-move): that is what is tested
  b.join();
  EXPECT_EQ(ran, 1);
}

TEST(Thread, cpus_are_counted_and_can_be_chosen) {
  const auto cpus = usable_cpu_numbers();
  EXPECT_EQ(usable_cpus(), static_cast<int>(cpus.size()));
  int seen = -1;
  Thread pinned("pinned", [&] {
    pin_to_cpu(cpus.back());
    seen = usable_cpu_numbers().at(0);
  });
  pinned.join();
  EXPECT_EQ(seen, cpus.back());
}

TEST(Random, is_the_same_everywhere_and_even) {
  Random random(42);
  EXPECT_EQ(random.next(), 13679457532755275413ULL);  // published value of SplitMix64 for seed 42
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(UniqueFd, closes_once) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  UniqueFd moved = std::move(writer);
  EXPECT_FALSE(writer);  // NOLINT(bugprone-use-after-move): that is what is tested
  moved.reset();
  char c = 0;
  EXPECT_EQ(read(reader.get(), &c, 1), 0) << "the write end is still open";
}

}  // namespace
}  // namespace parkbench
