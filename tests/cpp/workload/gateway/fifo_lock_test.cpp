#include "parkbench/workload/gateway/fifo_lock.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "parkbench/base/thread.hpp"
#include "parkbench/io/blocking_waiter.hpp"
#include "workload/manual_waiter.hpp"

namespace parkbench::workload::gateway {
namespace {

struct Turn final : FifoLock::Turn {
  void granted(Ns at) override { granted_at = at; }
  Ns granted_at = -1;
};

TEST(FifoLock, is_handed_over_in_the_order_of_asking) {
  ManualClock clock;
  FifoLock lock(clock);
  Turn a;
  Turn b;
  Turn c;
  EXPECT_TRUE(lock.lock_or_wait(a));
  EXPECT_FALSE(lock.lock_or_wait(b));
  EXPECT_FALSE(lock.lock_or_wait(c));
  clock.set(5);
  lock.unlock();
  EXPECT_EQ(b.granted_at, 5);
  EXPECT_EQ(c.granted_at, -1);
  lock.unlock();
  EXPECT_EQ(c.granted_at, 5);
  lock.unlock();
  EXPECT_TRUE(lock.lock_or_wait(a));
  lock.unlock();
}

TEST(FifoLock, lets_go_of_who_cancels) {
  ManualClock clock;
  FifoLock lock(clock);
  Turn a;
  Turn b;
  lock.lock_or_wait(a);
  lock.lock_or_wait(b);
  EXPECT_TRUE(lock.cancel(b));
  EXPECT_FALSE(lock.cancel(b));
  lock.unlock();
  EXPECT_EQ(b.granted_at, -1);
  EXPECT_TRUE(lock.lock_or_wait(b));
  lock.unlock();
}

TEST(FifoLock, a_waiter_gives_up_at_its_deadline) {
  ManualClock clock;
  testing::ManualWaiter waiter(clock);
  FifoLock lock(clock);
  EXPECT_EQ(lock.lock(waiter, Deadline::never()).running, 0);  // free: nothing was waited for
  const io::Woken woken = lock.lock(waiter, Deadline::at(9));
  EXPECT_TRUE(woken.timed_out);
  EXPECT_EQ(woken.running, 9);
  lock.unlock();
  EXPECT_FALSE(lock.lock(waiter, Deadline::at(20)).timed_out);
  lock.unlock();
}

TEST(FifoLock, excludes_threads_from_each_other) {
  const Clock& clock = SteadyClock::instance();
  FifoLock lock(clock);
  int count = 0;  // guarded by lock
  {
    std::vector<Thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back("locks", [&] {
        io::ThreadStateCell cell;
        io::WaitGauge gauge;
        io::BlockingWaiter waiter(clock, cell, gauge);
        for (int n = 0; n < 1000; ++n) {
          lock.lock(waiter, Deadline::never());
          ++count;
          lock.unlock();
        }
      });
    }
  }
  EXPECT_EQ(count, 4000);
}

}  // namespace
}  // namespace parkbench::workload::gateway
