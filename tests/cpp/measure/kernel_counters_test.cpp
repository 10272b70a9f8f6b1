#include "parkbench/measure/kernel_counters.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include "parkbench/base/thread.hpp"
#include "parkbench/base/unique_fd.hpp"

namespace parkbench::measure {
namespace {

TEST(KernelCounters, takes_the_second_field_of_schedstat) {
  EXPECT_EQ(parse_run_queue_delay("5206 1073131 17\n"), 1'073'131);
  EXPECT_FALSE(parse_run_queue_delay("5206").has_value());
  EXPECT_FALSE(parse_run_queue_delay("").has_value());
}

TEST(KernelCounters, adds_up_the_threads_it_is_given) {
  const std::array both{current_thread_id(), current_thread_id()};
  const auto one = read_run_queue_delay(std::span(both).first(1));
  const auto two = read_run_queue_delay(both);
  ASSERT_TRUE(one && two);
  EXPECT_GE(*two, 2 * *one);
  const std::array nobody{-1};
  EXPECT_FALSE(read_run_queue_delay(nobody).has_value());
  EXPECT_EQ(read_run_queue_delay({}), 0);
}

TEST(KernelCounters, finds_the_overflows_by_their_name) {
  const std::string text =
      "Other: A ListenOverflows\nOther: 5 6\nTcpExt: TW ListenDrops ListenOverflows X\nTcpExt: 1 2 3 4\n";
  EXPECT_EQ(parse_listen_overflows(text.substr(text.find("TcpExt"))), 3U);
  EXPECT_FALSE(parse_listen_overflows("TcpExt: TW\nTcpExt: 1\n").has_value());
  EXPECT_FALSE(parse_listen_overflows("TcpExt: ListenOverflows\nTcpExt: many\n").has_value());
  EXPECT_FALSE(parse_listen_overflows("").has_value());
  EXPECT_TRUE(read_listen_overflows().has_value());
}

TEST(KernelCounters, counts_connections_that_nobody_has_accepted) {
  const UniqueFd listener(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener.get(), 8), 0);
  ASSERT_EQ(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(read_accept_queue(listener.get()), 0);
  const UniqueFd one(socket(AF_INET, SOCK_STREAM, 0));
  const UniqueFd two(socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(connect(one.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(connect(two.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(read_accept_queue(listener.get()), 2);
  const UniqueFd accepted(accept(listener.get(), nullptr, nullptr));
  EXPECT_EQ(read_accept_queue(listener.get()), 1);
  EXPECT_EQ(read_accept_queue(one.get()), 0) << "no listener";
  EXPECT_EQ(read_accept_queue(-1), 0);
}

}  // namespace
}  // namespace parkbench::measure
