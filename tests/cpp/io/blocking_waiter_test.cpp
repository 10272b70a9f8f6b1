#include "parkbench/io/blocking_waiter.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <latch>

#include "parkbench/base/thread.hpp"

namespace parkbench::io {
namespace {

struct Pair {
  Pair() {
    std::array<int, 2> fds{};
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds.data());
    mine = UniqueFd(fds[0]);
    other = UniqueFd(fds[1]);
  }
  UniqueFd mine;
  UniqueFd other;
};

class BlockingWaiterTest : public testing::Test {
 protected:
  const Clock& clock_ = SteadyClock::instance();
  ThreadStateCell cell_;
  WaitGauge gauge_;
  BlockingWaiter waiter_{clock_, cell_, gauge_};
};

TEST_F(BlockingWaiterTest, returns_when_the_descriptor_is_ready_and_says_so) {
  Pair pair;
  IoSource source(pair.mine.get());
  EXPECT_FALSE(waiter_.wait_ready(source, Interest::write, Deadline::never()).timed_out);
  EXPECT_TRUE(waiter_.wait_ready(source, Interest::read, Deadline::at(clock_.now())).timed_out);
  ASSERT_EQ(write(pair.other.get(), "x", 1), 1);
  const Woken woken = waiter_.wait_ready(source, Interest::read, Deadline::never());
  EXPECT_FALSE(woken.timed_out);
  EXPECT_EQ(woken.told, woken.running);
}

TEST_F(BlockingWaiterTest, a_sleep_is_never_early_and_unpark_neither_shortens_it_nor_gets_lost) {
  waiter_.unparker().unpark();
  const Ns until = clock_.now() + 3 * kMillisecond;
  const Woken woken = waiter_.sleep_until(until, WaitReason::app_wait);
  EXPECT_EQ(woken.told, until);
  EXPECT_GE(woken.running, until);
  EXPECT_FALSE(waiter_.park(Deadline::never(), WaitReason::connection).timed_out);  // the permit is still there
}

TEST_F(BlockingWaiterTest, shows_what_it_waits_for_and_for_how_many) {
  std::latch begun{1};
  Unparker unparker;
  Thread thread("waits", [&] {
    unparker = waiter_.unparker();
    begun.count_down();
    waiter_.park(Deadline::never(), WaitReason::connection);
  });
  begun.wait();
  while (cell_.state.load() != ThreadState::on_connection) sched_yield();
  EXPECT_EQ(gauge_.waiting[static_cast<std::size_t>(WaitReason::connection)].load(), 1);
  unparker.unpark();
  thread.join();
  EXPECT_EQ(cell_.state.load(), ThreadState::on_cpu);
  EXPECT_EQ(gauge_.waiting[static_cast<std::size_t>(WaitReason::connection)].load(), 0);
}

}  // namespace
}  // namespace parkbench::io
