#include "parkbench/client/connect.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>

#include "client/scripted_server.hpp"

namespace parkbench::client {
namespace {

int outcome_of(int begun, int fd) {
  if (begun != EINPROGRESS) return begun;
  pollfd entry{fd, POLLOUT, 0};
  poll(&entry, 1, -1);
  return end_connect(fd);
}

TEST(Connect, reaches_who_listens) {
  std::uint16_t port = 0;
  const UniqueFd listener = testing::listen_somewhere(port);
  UniqueFd fd;
  const int begun = begin_connect(Address("127.0.0.1", port), fd);
  EXPECT_EQ(outcome_of(begun, fd.get()), 0);
}

TEST(Connect, says_that_nobody_listens) {
  UniqueFd fd;
  const int begun = begin_connect(Address("127.0.0.1", testing::free_port()), fd);
  EXPECT_EQ(outcome_of(begun, fd.get()), ECONNREFUSED);
}

TEST(Connect, says_that_it_is_not_over) {
  std::uint16_t port = 0;
  const UniqueFd listener = testing::listen_somewhere(port, 0);
  const Address address("127.0.0.1", port);
  // The backlog takes one or two; then nothing answers until somebody accepts.
  std::array<UniqueFd, 4> crowd;
  int last = 0;
  for (UniqueFd& fd : crowd) {
    begin_connect(address, fd);
    last = end_connect(fd.get());
  }
  EXPECT_EQ(last, EINPROGRESS);
}

}  // namespace
}  // namespace parkbench::client
