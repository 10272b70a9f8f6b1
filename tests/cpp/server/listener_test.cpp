#include "parkbench/server/listener.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <deque>
#include <vector>

#include "parkbench/base/error.hpp"
#include "server/peer.hpp"

namespace parkbench::server::testing {
namespace {

using Kind = Listener::Accepted::Kind;

std::string failure_of(const ServerOptions& options) {
  try {
    const Listener listener(options, false, SteadyClock::instance());
  } catch (const Failure& failure) {
    return failure.what();
  }
  return {};
}

TEST(Listener, picks_a_free_port_and_gives_sockets_that_do_not_block) {
  Listener listener({}, false, SteadyClock::instance());
  ASSERT_NE(listener.port(), 0);
  EXPECT_EQ(listener.accept().kind, Kind::none);
  Peer peer(listener.port());
  const auto accepted = listener.accept();
  ASSERT_EQ(accepted.kind, Kind::connection);
  char byte = 0;
  EXPECT_EQ(recv(accepted.fd.get(), &byte, 1, 0), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST(Listener, says_how_many_wait_to_be_accepted) {
  Listener listener({}, false, SteadyClock::instance());
  EXPECT_EQ(listener.waiting(), 0);
  const Peer one(listener.port());
  const Peer other(listener.port());
  EXPECT_EQ(listener.waiting(), 2);
  EXPECT_EQ(listener.accept().kind, Kind::connection);
  EXPECT_EQ(listener.waiting(), 1);
  listener.close();
  EXPECT_EQ(listener.waiting(), 0);
}

TEST(Listener, a_planted_delay_lies_between_two_accepts) {
  ManualClock clock(kSecond);
  Listener listener({.planted_accept_delay = 5 * kMillisecond}, false, clock);
  const Peer one(listener.port());
  const Peer other(listener.port());
  EXPECT_EQ(listener.accept().kind, Kind::connection);
  const auto paused = listener.accept();
  EXPECT_EQ(paused.kind, Kind::pause);
  EXPECT_EQ(paused.resume_at, kSecond + 5 * kMillisecond);
  clock.advance(5 * kMillisecond);
  EXPECT_EQ(listener.accept().kind, Kind::connection);
}

TEST(Listener, shared_ones_listen_on_the_port_that_the_first_has_found) {
  Listener first({}, true, SteadyClock::instance());
  Listener second({.port = first.port()}, true, SteadyClock::instance());
  EXPECT_EQ(second.port(), first.port());
  std::deque<Peer> peers;
  for (int i = 0; i < 64; ++i) peers.emplace_back(first.port());
  int taken = 0;
  while (first.accept().kind == Kind::connection) ++taken;
  while (second.accept().kind == Kind::connection) ++taken;
  EXPECT_EQ(taken, 64);
}

TEST(Listener, speaks_ipv6) {
  const int probe = socket(AF_INET6, SOCK_STREAM, 0);
  if (probe < 0) GTEST_SKIP() << "no IPv6 here";
  close(probe);
  const std::string failure = failure_of({.host = "::1"});
  if (failure.find("does not belong") != std::string::npos) GTEST_SKIP() << "no ::1 here";
  EXPECT_EQ(failure, "");
}

TEST(Listener, says_in_one_sentence_why_it_cannot_listen_and_what_to_do) {
  const Listener user({}, false, SteadyClock::instance());
  const std::string in_use = failure_of({.port = user.port()});
  EXPECT_EQ(in_use, "cannot listen on 127.0.0.1 port " + std::to_string(user.port()) +
                        ": the port is in use; stop what uses it, or choose another one (0 picks a free one)");
  EXPECT_NE(failure_of({.host = "localhost"}).find("not an address"), std::string::npos);
  EXPECT_NE(failure_of({.host = "192.0.2.1"}).find("does not belong to this machine"), std::string::npos);
}

TEST(Listener, a_port_shared_by_another_server_counts_as_used) {
  const Listener other({}, true, SteadyClock::instance());
  EXPECT_THROW(Listener::require_free_port({.port = other.port()}), Failure);
  const Listener alone({}, false, SteadyClock::instance());
  EXPECT_THROW(Listener::require_free_port({.port = alone.port()}), Failure);
  EXPECT_NO_THROW(Listener::require_free_port({}));
}

TEST(Listener, drops_one_connection_too_many_with_an_answer) {
  Listener listener({}, false, SteadyClock::instance());
  Peer peer(listener.port());
  peer.send(request("/hello"));
  listener.refuse(listener.accept().fd);
  EXPECT_EQ(peer.receive().status, 503);
  EXPECT_EQ(listener.dropped(), 1U);
}

/// In a process of its own: no descriptor is left while connections come.
bool pauses_longer_each_time() {
  ManualClock clock(kSecond);
  Listener listener({}, false, clock);
  std::deque<Peer> peers;
  for (int i = 0; i < 8; ++i) peers.emplace_back(listener.port());
  const rlimit none{.rlim_cur = static_cast<rlim_t>(dup(0)), .rlim_max = 4096};  // all below are in use
  setrlimit(RLIMIT_NOFILE, &none);
  std::vector<Ns> pauses;
  for (int i = 0; i < 6; ++i) {
    const auto accepted = listener.accept();
    if (accepted.kind != Kind::pause) return false;
    pauses.push_back((accepted.resume_at - clock.now()) / kMillisecond);
  }
  if (pauses != std::vector<Ns>{10, 20, 40, 80, 100, 100} || listener.dropped() != 6) return false;
  if (peers[0].receive().status != 503) return false;
  const rlimit enough{.rlim_cur = 1024, .rlim_max = 4096};
  setrlimit(RLIMIT_NOFILE, &enough);
  if (listener.accept().kind != Kind::connection || listener.accept().kind != Kind::connection) return false;
  const rlimit again{.rlim_cur = static_cast<rlim_t>(dup(0)), .rlim_max = 4096};
  setrlimit(RLIMIT_NOFILE, &again);
  if (listener.accept().kind != Kind::none) return false;  // nobody is there: no reason to pause
  peers[0].reset();
  return true;
}

TEST(Listener, without_descriptors_it_answers_503_and_pauses_longer_each_time) {
  EXPECT_EXIT(_exit(pauses_longer_each_time() ? 0 : 1), ::testing::ExitedWithCode(0), "no file descriptor is left");
}

TEST(Listener, the_limit_of_connections_leaves_descriptors_for_the_rest) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(connection_limit({.max_connections = 7}), 7);
  if (limit.rlim_cur < 1'000'000) {
    EXPECT_EQ(connection_limit({}), static_cast<int>(limit.rlim_cur) - 64);
  }
}

bool too_few_descriptors_are_refused() {
  const rlimit few{.rlim_cur = 40, .rlim_max = 40};
  setrlimit(RLIMIT_NOFILE, &few);
  try {
    connection_limit({.max_connections = 7});
  } catch (const Failure& failure) {
    const std::string text = failure.what();
    return text.find("the limit is 40") != std::string::npos && text.find("raise `ulimit -n`") != std::string::npos;
  }
  return false;
}

TEST(Listener, too_few_descriptors_for_any_connection_are_refused_in_one_sentence) {
  EXPECT_EXIT(_exit(too_few_descriptors_are_refused() ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace parkbench::server::testing
