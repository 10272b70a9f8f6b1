#include "parkbench/virtual_threads/parking_waiter.hpp"

#include <sys/socket.h>

#include <array>
#include <latch>
#include <numeric>
#include <thread>
#include <vector>

#include "parkbench/base/unique_fd.hpp"
#include "virtual_threads/on_carriers.hpp"

namespace parkbench::virtual_threads {
namespace {

/// Two connected, non-blocking sockets.
struct Pair {
  Pair() {
    std::array<int, 2> fds{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds.data()), 0);
    near = UniqueFd(fds[0]);
    far = UniqueFd(fds[1]);
    near_source.reset(near.get());
    far_source.reset(far.get());
  }
  ~Pair() {
    near_source.detach();
    far_source.detach();
  }
  UniqueFd near;
  UniqueFd far;
  io::IoSource near_source;
  io::IoSource far_source;
};

char receive(io::Waiter& waiter, io::IoSource& source) {
  char byte = 0;
  while (recv(source.fd(), &byte, 1, 0) != 1) waiter.wait_ready(source, io::Interest::read, Deadline::never());
  return byte;
}

class Wait : public OnCarriers {
 protected:
  std::int64_t waiting(io::WaitReason reason) {
    return std::accumulate(scheduler().gauges().begin(), scheduler().gauges().end(), std::int64_t{0},
                           [&](std::int64_t sum, const io::WaitGauge& gauge) {
                             return sum + gauge.waiting[static_cast<std::size_t>(reason)].load();
                           });
  }
  void TearDown() override {
    OnCarriers::TearDown();
    for (auto reason : {io::WaitReason::io, io::WaitReason::connection, io::WaitReason::app_wait}) {
      EXPECT_EQ(waiting(reason), 0) << "a wait was begun and not ended";
    }
  }
};

TEST_P(Wait, OneThatCountsNothingIsSeenByNobody) {
  Pair pair;
  std::latch waits(1);
  scheduler().start([&] {
    ParkingWaiter quiet(scheduler(), ParkingWaiter::Counts::no);
    waits.count_down();
    receive(quiet, pair.near_source);
  });
  waits.wait();
  EXPECT_EQ(waiting(io::WaitReason::io), 0);
  ASSERT_EQ(write(pair.far.get(), "x", 1), 1);
  scheduler().stop();
}

TEST_P(Wait, PingPongOverASocketPair) {
  constexpr int kTurns = 500;
  Pair pair;
  ParkingWaiter waiter(scheduler());
  int answered = 0;
  scheduler().start([&] {
    for (int i = 0; i < kTurns; ++i) {
      const char byte = receive(waiter, pair.far_source);
      EXPECT_EQ(send(pair.far.get(), &byte, 1, 0), 1);
    }
  });
  scheduler().start([&] {
    for (int i = 0; i < kTurns; ++i) {
      const char byte = static_cast<char>(i);
      EXPECT_EQ(send(pair.near.get(), &byte, 1, 0), 1);
      EXPECT_EQ(receive(waiter, pair.near_source), byte);
      ++answered;
    }
  });
  scheduler().stop();
  EXPECT_EQ(answered, kTurns);
}

TEST_P(Wait, ReadinessThatCameBeforeTheWaitIsRemembered) {
  Pair pair;
  ParkingWaiter waiter(scheduler());
  scheduler().start([&] {
    char byte = 'x';
    EXPECT_EQ(recv(pair.far.get(), &byte, 1, 0), -1);
    waiter.wait_ready(pair.far_source, io::Interest::read, Deadline::at(0));  // registers, times out
    EXPECT_EQ(send(pair.near.get(), &byte, 1, 0), 1);
    EXPECT_EQ(receive(waiter, pair.far_source), 'x');
  });
  scheduler().stop();
}

TEST_P(Wait, TheDeadlineEndsTheWaitAndTheNextWaitWorks) {
  Pair pair;
  ParkingWaiter waiter(scheduler());
  scheduler().start([&] {
    for (int i = 0; i < 20; ++i) {
      const Ns until = scheduler().clock().now() + 100 * kMicrosecond;
      const io::Woken woken = waiter.wait_ready(pair.far_source, io::Interest::read, Deadline::at(until));
      EXPECT_TRUE(woken.timed_out);
      EXPECT_EQ(woken.told, until);
      EXPECT_GE(woken.running, until);
    }
    const char byte = 'y';
    EXPECT_EQ(send(pair.near.get(), &byte, 1, 0), 1);
    EXPECT_EQ(receive(waiter, pair.far_source), 'y');
  });
  scheduler().stop();
}

TEST_P(Wait, DeadlinesRaceWithReadiness) {
  constexpr int kBytes = 300;
  Pair pair;
  ParkingWaiter waiter(scheduler());
  scheduler().start([&] {
    for (int i = 0; i < kBytes; ++i) {
      sleep_until(scheduler().clock().now() + (i % 4) * 20 * kMicrosecond);
      const char byte = 'z';
      EXPECT_EQ(send(pair.near.get(), &byte, 1, 0), 1);
    }
  });
  int received = 0;
  scheduler().start([&] {
    while (received < kBytes) {
      char byte = 0;
      if (recv(pair.far.get(), &byte, 1, 0) == 1) {
        ++received;
      } else {
        const Ns now = scheduler().clock().now();
        waiter.wait_ready(pair.far_source, io::Interest::read, Deadline::at(now + 40 * kMicrosecond));
      }
    }
  });
  scheduler().stop();
  EXPECT_EQ(received, kBytes);
}

TEST_P(Wait, StampsAreInOrder) {
  Pair pair;
  ParkingWaiter waiter(scheduler());
  std::latch waiting_now(1);
  Ns before = 0;
  io::Woken woken;
  scheduler().start([&] {
    before = scheduler().clock().now();
    waiting_now.count_down();
    do {
      woken = waiter.wait_ready(pair.far_source, io::Interest::read, Deadline::never());
      char byte = 0;
      if (recv(pair.far.get(), &byte, 1, 0) == 1) break;
    } while (true);
  });
  waiting_now.wait();
  const Ns sent = scheduler().clock().now();
  const char byte = 'a';
  EXPECT_EQ(send(pair.near.get(), &byte, 1, 0), 1);
  scheduler().stop();
  EXPECT_FALSE(woken.timed_out);
  EXPECT_GE(woken.told, sent);
  EXPECT_GE(woken.running, woken.told);
}

TEST_P(Wait, SleepIsToldItsDueTime) {
  ParkingWaiter waiter(scheduler());
  scheduler().start([&] {
    const Ns until = waiter.clock().now() + kMillisecond;
    const io::Woken woken = waiter.sleep_until(until, io::WaitReason::app_wait);
    EXPECT_FALSE(woken.timed_out);
    EXPECT_EQ(woken.told, until);
    EXPECT_GE(woken.running, until);
  });
  scheduler().stop();
}

TEST_P(Wait, GaugesCountWhoWaitsAndWhy) {
  constexpr int kThreads = 10;
  ParkingWaiter waiter(scheduler());
  std::vector<io::Unparker> unparkers(kThreads);
  std::latch ready(kThreads);
  std::atomic<bool> may_go{false};
  for (auto& unparker : unparkers) {
    scheduler().start([&] {
      unparker = waiter.unparker();
      ready.count_down();
      while (!may_go) waiter.park(Deadline::never(), io::WaitReason::connection);
    });
  }
  ready.wait();
  while (waiting(io::WaitReason::connection) != kThreads) std::this_thread::yield();
  EXPECT_EQ(waiting(io::WaitReason::io), 0);
  may_go = true;
  for (const auto& unparker : unparkers) unparker.unpark();
  scheduler().stop();
}

TEST_P(Wait, APermitForParkSurvivesAWaitForADescriptor) {
  Pair pair;
  ParkingWaiter waiter(scheduler());
  scheduler().start([&] {
    unpark(*current());
    const Ns until = scheduler().clock().now() + 100 * kMicrosecond;
    EXPECT_TRUE(waiter.wait_ready(pair.far_source, io::Interest::read, Deadline::at(until)).timed_out);
    EXPECT_FALSE(waiter.park(Deadline::at(0), io::WaitReason::connection).timed_out) << "the wait took the permit";
  });
  scheduler().stop();
}

INSTANTIATE_TEST_SUITE_P(Carriers, Wait, testing::Values(1, 2, 4, 16));

}  // namespace
}  // namespace parkbench::virtual_threads
