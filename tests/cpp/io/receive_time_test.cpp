#include "parkbench/io/receive_time.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "parkbench/base/unique_fd.hpp"

namespace parkbench::io {
namespace {

/// Two ends of a TCP connection over loopback.
class Loopback : public ::testing::Test {
 protected:
  Loopback() {
    const UniqueFd listener(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size);
    listen(listener.get(), 1);
    getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
    here_ = UniqueFd(socket(AF_INET, SOCK_STREAM, 0));
    connect(here_.get(), reinterpret_cast<sockaddr*>(&address), size);
    there_ = UniqueFd(accept(listener.get(), nullptr, nullptr));
    const int on = 1;
    setsockopt(there_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  void say(std::string_view text) { ASSERT_EQ(send(there_.get(), text.data(), text.size(), 0), std::ssize(text)); }
  void hear(std::size_t bytes) {
    std::array<char, 4096> into;
    ASSERT_EQ(recv(here_.get(), into.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
  }
  void wait_for_something() {
    pollfd entry{here_.get(), POLLIN, 0};
    ASSERT_EQ(poll(&entry, 1, 20'000), 1);
  }
  /// The kernel begins to stamp a little after the first socket has asked for it.
  void wait_for_stamps() {
    for (int tries = 0; tries < 10'000; ++tries) {
      say("x");
      wait_for_something();
      const Ns at = receive_time(here_.get());
      hear(1);
      if (at != 0) return;
      sched_yield();
    }
    FAIL() << "the kernel stamps nothing";
  }
  UniqueFd here_;
  UniqueFd there_;
};

TEST_F(Loopback, what_arrives_is_stamped_when_it_arrives_and_stays_where_it_is) {
  ASSERT_TRUE(ask_for_receive_times(here_.get()));
  wait_for_stamps();
  EXPECT_EQ(receive_time(here_.get()), 0) << "nothing is there";
  const Ns before = unix_time();
  say("abc");
  wait_for_something();
  const Ns after = unix_time();
  const Ns at = receive_time(here_.get());
  EXPECT_GE(at, before);
  EXPECT_LE(at, after);
  EXPECT_EQ(receive_time(here_.get()), at) << "asking takes nothing away and does not change it";
  hear(3);
  EXPECT_EQ(receive_time(here_.get()), 0);
}

TEST_F(Loopback, of_several_pieces_the_last_one_counts) {
  ASSERT_TRUE(ask_for_receive_times(here_.get()));
  wait_for_stamps();
  say("first");
  wait_for_something();
  const Ns between = unix_time();
  say("second");
  Ns at = 0;
  for (int tries = 0; tries < 1'000'000 && at < between; ++tries) at = receive_time(here_.get());
  EXPECT_GE(at, between);
  hear(11);
}

TEST_F(Loopback, without_the_wish_there_is_no_stamp) {
  say("abc");
  wait_for_something();
  EXPECT_EQ(receive_time(here_.get()), 0);
}

TEST(ReceiveTime, a_unix_socket_gives_none) {
  std::array<int, 2> ends{-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const UniqueFd one(ends[0]);
  const UniqueFd other(ends[1]);
  EXPECT_FALSE(ask_for_receive_times(one.get()));
  EXPECT_EQ(receive_time(one.get()), 0);
  EXPECT_EQ(receive_time(-1), 0);
}

TEST(SteadyOffset, turns_the_wall_clocks_time_into_the_steady_ones) {
  SteadyOffset offset;
  const Clock& steady = SteadyClock::instance();
  const Ns before = steady.now();
  const Ns wall = unix_time();
  const Ns after = steady.now();
  const Ns turned = offset.to_steady(wall, after);
  // The offset itself is as exact as one read of a clock that nobody has interrupted.
  EXPECT_GE(turned, before - kMillisecond);
  EXPECT_LE(turned, after + kMillisecond);
  EXPECT_EQ(offset.to_steady(wall + 5, after) - turned, 5);
}

}  // namespace
}  // namespace parkbench::io
