#include "parkbench/io/socket_calls.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string>

#include "parkbench/base/unique_fd.hpp"

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

TEST(SocketCalls, say_bytes_not_now_and_the_end) {
  Pair pair;
  std::array<char, 8> space{};
  EXPECT_TRUE(receive(pair.mine.get(), space).not_now());
  EXPECT_EQ(send(pair.other.get(), "abc").bytes, 3U);
  EXPECT_EQ(receive(pair.mine.get(), space).bytes, 3U);
  shut_down_sending(pair.other.get());
  const Moved end = receive(pair.mine.get(), space);
  EXPECT_EQ(end.bytes, 0U);
  EXPECT_EQ(end.error, 0);
}

TEST(SocketCalls, a_send_to_nobody_is_an_error_and_no_signal) {
  Pair pair;
  pair.mine.reset();
  const Moved sent = send(pair.other.get(), "abc");
  EXPECT_EQ(sent.error, EPIPE);
  EXPECT_FALSE(sent.not_now());
}

TEST(SocketCalls, a_full_socket_takes_what_it_can) {
  const Pair pair;
  const std::string much(8 * 1024 * 1024, 'x');
  const Moved first = send(pair.other.get(), much);
  EXPECT_GT(first.bytes, 0U);
  EXPECT_LT(first.bytes, much.size());
  EXPECT_TRUE(send(pair.other.get(), much).not_now());
}

}  // namespace
}  // namespace parkbench::io
