#include <gtest/gtest.h>

#include <cstdio>
#include <latch>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "virtual_threads/migration.hpp"
#include "virtual_threads/on_carriers.hpp"

namespace parkbench::virtual_threads {
namespace {

class Steal : public WithScheduler {};

// One thread floods its own carrier with threads that yield; the others live by stealing.
TEST_F(Steal, AtLeastAThousandStealsOfStartedThreads) {
  make(4);
  constexpr std::uint64_t kWanted = 1000;
  constexpr int kMostRounds = 100'000;  // on busy CPUs one round in ten has a steal
  std::atomic<std::int64_t> sum{0};
  int rounds = 0;
  for (; rounds < kMostRounds && scheduler().steals_of_started() < kWanted; ++rounds) {
    constexpr int kThreads = 64;
    std::latch done(kThreads);
    scheduler().start([&] {
      for (int i = 0; i < kThreads; ++i) {
        scheduler().start([&] {
          std::int64_t mine = 0;  // on the stack: torn if two carriers ran it
          for (int turn = 0; turn < 20; ++turn) {
            ++mine;
            yield();
          }
          sum += mine;
          done.count_down();
        });
      }
    });
    done.wait();
  }
  EXPECT_EQ(sum, std::int64_t{rounds} * 64 * 20);
  EXPECT_GE(scheduler().steals_of_started(), kWanted);
  std::printf("steals_of_started=%llu\n", static_cast<unsigned long long>(scheduler().steals_of_started()));
  scheduler().stop();
}

// All others are held, so the carrier that is left must take what the held one has in its queue.
TEST_F(Steal, AThreadReadyOnAHeldCarrierIsTakenByAnother) {
  make(2);
  scheduler().start([this] {
    const auto [before, after] = migrate(scheduler());
    EXPECT_NE(before, after);
  });
  scheduler().stop();
}

TEST_F(Steal, UnstartedOnlyKeepsAStartedThreadOnItsCarrier) {
  make(4, Stealing::unstarted);
  std::atomic<int> moved{0};
  std::atomic<bool> taken{false};
  scheduler().start([&] {
    const int first_home = current_thread_id();
    for (int i = 0; i < 200; ++i) {
      scheduler().start([&, first_home] {
        const int home = current_thread_id();
        if (home != first_home) taken = true;
        for (int turn = 0; turn < 20; ++turn) {
          yield();
          sleep_until(scheduler().clock().now() + 50 * kMicrosecond);
          if (current_thread_id() != home) ++moved;
        }
      });
    }
    // Holds its carrier until another has taken an unstarted one.
    const Ns limit = scheduler().clock().now() + 20 * kSecond;
    while (!taken && scheduler().clock().now() < limit) std::this_thread::yield();
  });
  scheduler().stop();
  EXPECT_EQ(moved, 0);
  EXPECT_EQ(scheduler().steals_of_started(), 0U);
  EXPECT_TRUE(taken) << "the unstarted ones were not taken either";
}

TEST_F(Steal, OffKeepsEverythingWhereItWasPut) {
  make(4, Stealing::off);
  std::set<int> used;
  std::mutex mutex;
  scheduler().start([&] {
    for (int i = 0; i < 200; ++i) {
      scheduler().start([&] {
        sleep_until(scheduler().clock().now() + 50 * kMicrosecond);
        const std::lock_guard lock(mutex);
        used.insert(current_thread_id());
      });
    }
  });
  scheduler().stop();
  EXPECT_EQ(used.size(), 1U);
}

class EveryMode : public WithScheduler, public testing::WithParamInterface<std::tuple<int, Stealing>> {
 protected:
  void SetUp() override { make(std::get<0>(GetParam()), std::get<1>(GetParam())); }
};

// A ring of threads hands one token on: each hand-over is a wake-up that must not be lost, often to a sleeping carrier.
TEST_P(EveryMode, NoWakeUpIsLostInARing) {
  constexpr int kThreads = 8;
  constexpr int kTurns = 4000;
  std::vector<std::atomic<VirtualThread*>> ring(kThreads);
  std::atomic<int> holder{-1};
  int token = 0;  // plain: the hand-over orders it
  std::latch all(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    scheduler().start([&, i] {
      ring[static_cast<std::size_t>(i)] = current();
      all.count_down();
      for (;;) {
        while (holder.load(std::memory_order_acquire) != i) {
          if (holder.load(std::memory_order_acquire) == -2) return;
          park();
        }
        if (++token == kTurns) {
          holder.store(-2, std::memory_order_release);
          for (auto& other : ring) unpark(*other.load());
          return;
        }
        const int next = (i + 1) % kThreads;
        holder.store(next, std::memory_order_release);
        unpark(*ring[static_cast<std::size_t>(next)].load());
      }
    });
  }
  all.wait();
  holder.store(0, std::memory_order_release);
  unpark(*ring[0].load());
  scheduler().stop();
  EXPECT_EQ(token, kTurns);
}

// An OS thread gives work to a scheduler that falls asleep after each piece.
TEST_P(EveryMode, NoStartIsLostWhileTheCarriersFallAsleep) {
  constexpr int kPieces = 3000;
  std::atomic<int> done{0};
  for (int i = 0; i < kPieces; ++i) {
    scheduler().start(
        [](void* counter) {
          auto& finished = *static_cast<std::atomic<int>*>(counter);
          ++finished;
          finished.notify_one();
        },
        &done);
    if (i % 3 == 0) done.wait(i);  // sometimes one at a time, sometimes several
  }
  scheduler().stop();
  EXPECT_EQ(done, kPieces);
}

// Timed parks race with unparks: each round ends by one of the two, and never hangs.
TEST_P(EveryMode, DeadlinesRaceWithUnparks) {
  std::atomic<int> ended{0};
  for (int pair = 0; pair < 20; ++pair) {
    scheduler().start([&] {
      VirtualThread* self = current();
      for (int i = 0; i < 50; ++i) {
        auto pending = std::make_shared<std::atomic<bool>>(true);
        scheduler().start([this, self, pending, i] {
          sleep_until(scheduler().clock().now() + (i % 5) * 20 * kMicrosecond);
          *pending = false;
          unpark(*self);
        });
        while (*pending && !park(Deadline::at(scheduler().clock().now() + 50 * kMicrosecond))) {
        }
      }
      ++ended;
    });
  }
  scheduler().stop();
  EXPECT_EQ(ended, 20);
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryMode,
                         testing::Combine(testing::Values(1, 2, 4, 16),
                                          testing::Values(Stealing::started, Stealing::unstarted, Stealing::off)));

}  // namespace
}  // namespace parkbench::virtual_threads
