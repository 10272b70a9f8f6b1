#include "parkbench/io/poller.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <vector>

#include "parkbench/base/thread.hpp"

namespace parkbench::io {
namespace {

struct Seen final : ReadyWaiter {
  void on_ready(Ns at) override {
    ++times;
    told = at;
  }
  int times = 0;
  Ns told = 0;
};

class PollerTest : public testing::Test {
 protected:
  PollerTest() {
    std::array<int, 2> fds{};
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds.data());
    mine_ = UniqueFd(fds[0]);
    other_ = UniqueFd(fds[1]);
    source_.reset(mine_.get());
  }
  void send() { ASSERT_EQ(write(other_.get(), "x", 1), 1); }

  ManualClock clock_{42};
  Poller poller_{clock_};
  UniqueFd mine_;
  UniqueFd other_;
  IoSource source_;
  Seen seen_;
};

TEST_F(PollerTest, calls_the_waiter_once_with_the_pollers_stamp) {
  Watch& watch = source_.watch_at(poller_);
  poller_.poll(0);  // the first edge: writable
  ASSERT_FALSE(watch.wait(Interest::read, seen_));
  send();
  EXPECT_EQ(poller_.poll(0), 1);
  EXPECT_EQ(seen_.times, 1);
  EXPECT_EQ(seen_.told, 42);
  send();
  poller_.poll(0);
  EXPECT_EQ(seen_.times, 1) << "nobody waits any more";
}

TEST_F(PollerTest, an_edge_before_the_wait_is_remembered) {
  Watch& watch = source_.watch_at(poller_);
  send();
  poller_.poll(0);
  EXPECT_TRUE(watch.wait(Interest::read, seen_));
  EXPECT_FALSE(watch.wait(Interest::read, seen_)) << "and consumed";
  EXPECT_TRUE(watch.cancel(Interest::read, seen_));
  EXPECT_FALSE(watch.cancel(Interest::read, seen_));
}

TEST_F(PollerTest, a_hang_up_wakes_both_directions) {
  Watch& watch = source_.watch_at(poller_);
  poller_.poll(0);
  ASSERT_TRUE(watch.wait(Interest::write, seen_));
  Seen writer;
  ASSERT_FALSE(watch.wait(Interest::read, seen_));
  ASSERT_FALSE(watch.wait(Interest::write, writer));
  other_.reset();
  poller_.poll(0);
  EXPECT_EQ(seen_.times, 1);
  EXPECT_EQ(writer.times, 1);
}

TEST_F(PollerTest, a_hang_up_that_came_with_data_is_remembered) {
  Watch& watch = source_.watch_at(poller_);
  poller_.poll(0);
  EXPECT_FALSE(watch.hung_up());
  send();
  shutdown(other_.get(), SHUT_WR);
  poller_.poll(0);  // one edge for both
  EXPECT_TRUE(watch.hung_up());
  ASSERT_TRUE(watch.wait(Interest::read, seen_));
  EXPECT_FALSE(watch.wait(Interest::read, seen_)) << "no second edge";
  EXPECT_TRUE(watch.hung_up());
  source_.reset(other_.get());
  EXPECT_FALSE(source_.watch_at(poller_).hung_up()) << "the next user of the slot";
}

TEST_F(PollerTest, a_nudge_ends_the_wait_or_the_next_one) {
  Watch& watch = source_.watch_at(poller_);
  poller_.poll(0);
  ASSERT_FALSE(watch.wait(Interest::read, seen_));
  watch.nudge(Interest::read, 7);
  EXPECT_EQ(seen_.times, 1);
  EXPECT_EQ(seen_.told, 7);
  watch.nudge(Interest::read, 8);
  EXPECT_TRUE(watch.wait(Interest::read, seen_));
}

TEST_F(PollerTest, a_source_that_moved_is_heard_by_its_new_poller_only) {
  Poller second(clock_);
  source_.watch_at(poller_);
  poller_.poll(0);
  Watch& watch = source_.watch_at(second);
  second.poll(0);
  ASSERT_FALSE(watch.wait(Interest::read, seen_));
  send();
  EXPECT_EQ(poller_.poll(0), 0);
  EXPECT_EQ(second.poll(0), 1);
  EXPECT_EQ(seen_.times, 1);
  source_.detach();  // before its poller goes
}

TEST_F(PollerTest, wake_ends_a_poll_from_another_thread) {
  Thread waker("waker", [&] { poller_.wake(); });
  EXPECT_EQ(poller_.poll(-1), 0);  // a lost wake-up hangs here
}

TEST_F(PollerTest, slots_are_used_again_and_late_events_of_the_old_user_are_dropped) {
  for (int i = 0; i < 100; ++i) {
    Watch& watch = source_.watch_at(poller_);
    send();  // an event is pending when the watch goes
    EXPECT_EQ(watch.fd(), mine_.get());
    source_.detach();
  }
  Watch& watch = source_.watch_at(poller_);
  ASSERT_FALSE(watch.wait(Interest::read, seen_));
  poller_.poll(0);
  EXPECT_EQ(seen_.times, 1);
}

}  // namespace
}  // namespace parkbench::io
