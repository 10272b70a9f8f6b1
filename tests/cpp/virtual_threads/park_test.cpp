// park, unpark, yield and sleep: permits as in java.util.concurrent.locks.LockSupport.
#include <algorithm>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "parkbench/base/error.hpp"
#include "virtual_threads/on_carriers.hpp"

namespace parkbench::virtual_threads {
namespace {

class Park : public OnCarriers {};

TEST_P(Park, APermitGivenBeforeIsConsumedAtOnce) {
  bool returned = false;
  scheduler().start([&] {
    unpark(*current());
    EXPECT_FALSE(park());
    returned = true;
  });
  scheduler().stop();
  EXPECT_TRUE(returned);
}

TEST_P(Park, TwoPermitsAreOne) {
  scheduler().start([this] {
    unpark(*current());
    unpark(*current());
    EXPECT_FALSE(park(Deadline::at(scheduler().clock().now() + kSecond)));
    EXPECT_TRUE(park(Deadline::at(scheduler().clock().now() + kMillisecond))) << "the second permit was kept";
  });
  scheduler().stop();
}

TEST_P(Park, ADeadlineThatHasPassedReturnsAtOnceButAPermitWins) {
  scheduler().start([] {
    EXPECT_TRUE(park(Deadline::at(0)));
    unpark(*current());
    EXPECT_FALSE(park(Deadline::at(0)));
    EXPECT_TRUE(park(Deadline::at(0))) << "the permit was left";
  });
  scheduler().stop();
}

TEST_P(Park, AnOsThreadUnparks) {
  std::atomic<VirtualThread*> parked{nullptr};
  std::latch done(1);
  std::atomic<bool> may_go{false};
  scheduler().start([&] {
    parked = current();
    parked.notify_one();
    while (!may_go) park();
    done.count_down();
  });
  parked.wait(nullptr);
  may_go = true;
  unpark(*parked);
  done.wait();
  scheduler().stop();
}

TEST_P(Park, ALateUnparkIsHarmless) {
  std::atomic<VirtualThread*> gone{nullptr};
  std::latch finished(1);
  scheduler().start([&] { gone = current(); });
  while (scheduler().live() != 0) std::this_thread::yield();
  unpark(*gone);
  unpark(*gone);
  scheduler().start([&] { finished.count_down(); });  // very likely on the same descriptor
  finished.wait();
  scheduler().stop();
}

TEST_P(Park, UnparkBeforeTheDeadlineDisarmsTheTimer) {
  std::atomic<int> rounds{0};
  scheduler().start([&] {
    VirtualThread* self = current();
    for (int i = 0; i < 200; ++i) {
      std::atomic<bool> done{false};
      scheduler().start([&, self] {
        done = true;
        unpark(*self);
      });
      while (!done) EXPECT_FALSE(park(Deadline::at(scheduler().clock().now() + 3600 * kSecond)));
      ++rounds;
    }
  });
  scheduler().stop();
  EXPECT_EQ(rounds, 200);
  EXPECT_TRUE(Deadline::at(scheduler().timers().next()).is_never()) << "a timer was left armed";
}

TEST_P(Park, SleepIsNeverEarlyAndNotShortenedByUnparkAndKeepsThePermit) {
  std::atomic<bool> asleep{true};
  scheduler().start([&] {
    VirtualThread* self = current();
    scheduler().start([&, self] {
      while (asleep) {
        unpark(*self);
        yield();
      }
    });
    for (int i = 0; i < 3; ++i) {
      const Ns until = scheduler().clock().now() + 2 * kMillisecond;
      sleep_until(until);
      EXPECT_GE(scheduler().clock().now(), until);
    }
    asleep = false;
    unpark(*self);
    const Ns until = scheduler().clock().now() + kMillisecond;
    sleep_until(until);
    EXPECT_FALSE(park(Deadline::at(0))) << "sleeping took the permit";
  });
  scheduler().stop();
}

TEST_P(Park, ManySleepersWakeInTheOrderOfTheirTimesPerCarrier) {
  constexpr int kSleepers = 500;
  std::atomic<int> woken{0};
  const Ns start = scheduler().clock().now();
  for (int i = 0; i < kSleepers; ++i) {
    scheduler().start([&, i] {
      const Ns until = start + (kSleepers - i) * 20 * kMicrosecond;
      sleep_until(until);
      EXPECT_GE(scheduler().clock().now(), until);
      ++woken;
    });
  }
  scheduler().stop();
  EXPECT_EQ(woken, kSleepers);
}

TEST_P(Park, AnEarlierTimerWakesThePollerThatSleepsForALaterOne) {
  std::latch early(1);
  std::atomic<VirtualThread*> late{nullptr};
  scheduler().start([&] {
    late = current();
    late.notify_one();
    park(Deadline::at(scheduler().clock().now() + 3600 * kSecond));
  });
  late.wait(nullptr);
  scheduler().start([&] {
    sleep_until(scheduler().clock().now() + kMillisecond);
    early.count_down();
  });
  early.wait();  // for an hour, if the poller slept on
  unpark(*late);
  scheduler().stop();
}

INSTANTIATE_TEST_SUITE_P(Carriers, Park, testing::Values(1, 2, 4, 16));

class OneCarrier : public WithScheduler {};

TEST_F(OneCarrier, YieldGivesEachItsTurnInOrder) {
  make(1);
  std::vector<int> order;
  std::mutex mutex;  // one carrier needs none, but TSan without switch synchronisation cannot know
  scheduler().start([&] {
    for (int id : {1, 2, 3}) {
      scheduler().start([&order, &mutex, id] {
        for (int turn = 0; turn < 3; ++turn) {
          {
            const std::lock_guard lock(mutex);
            order.push_back(id);
          }
          yield();
        }
      });
    }
  });
  scheduler().stop();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 1, 2, 3, 1, 2, 3}));
}

TEST_F(OneCarrier, AThousandYieldingThreadsMakeEqualProgress) {
  make(1);
  std::vector<int> turns(1000);
  std::atomic<bool> stop{false};
  scheduler().start([&] {  // so that all are in the queue before the first one runs
    for (auto& mine : turns) {
      scheduler().start([&] {
        while (!stop) {
          if (++mine == 50) stop = true;
          yield();
        }
      });
    }
  });
  scheduler().stop();
  const auto [least, most] = std::minmax_element(turns.begin(), turns.end());
  EXPECT_LE(*most, 2 * *least);
}

TEST_F(OneCarrier, TimersFollowAClockDrivenByHand) {
  ManualClock clock(1000);
  make(1, Stealing::started, clock);
  std::atomic<int> woken{0};
  std::latch asleep(2);
  std::latch first(1);
  scheduler().start([&] {
    asleep.count_down();
    sleep_until(1000 + 3600 * kSecond);
    ++woken;
    first.count_down();
  });
  scheduler().start([&] {
    asleep.count_down();
    EXPECT_TRUE(park(Deadline::at(1000 + 7200 * kSecond)));
    ++woken;
  });
  asleep.wait();
  EXPECT_EQ(woken, 0);
  clock.advance(3600 * kSecond);
  scheduler().clock_moved();
  first.wait();
  EXPECT_EQ(woken, 1);
  clock.advance(3600 * kSecond);
  scheduler().clock_moved();
  scheduler().stop();
  EXPECT_EQ(woken, 2);
}

TEST(OsThread, ParkAndSleepAreRefusedAndYieldDoesNothing) {
  EXPECT_THROW(park(), Failure);
  EXPECT_THROW(sleep_until(0), Failure);
  yield();
}

}  // namespace
}  // namespace parkbench::virtual_threads
