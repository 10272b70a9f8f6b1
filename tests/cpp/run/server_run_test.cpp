#include "parkbench/run/server_run.hpp"

#include <gtest/gtest.h>

#include "parkbench/run/peer.hpp"
#include "run/scenarios.hpp"
#include "run/socket_pair.hpp"

namespace parkbench::run {
namespace {

class Serving : public ::testing::Test {
 protected:
  Serving() {
    auto [ours, theirs] = testing::socket_pair();
    peer_.emplace("server process", ours);
    server_.emplace(testing::quick(ModelKind::reactive, workload::Kind::noop), server::ServerOptions{}, theirs);
  }
  std::optional<Peer> peer_;
  std::optional<ServerRun> server_;
};

TEST_F(Serving, answers_what_the_run_asks_and_ends_with_it) {
  const Ready ready = peer_->hello();
  EXPECT_EQ(ready.port, server_->port());
  EXPECT_GT(ready.resident_bytes, 0);
  peer_->window_opened(SteadyClock::instance().now());
  peer_->window_closed();
  const ServerEvidence evidence = peer_->finish(0);
  EXPECT_GT(evidence.facts.opened.at, 0);
  EXPECT_GE(evidence.facts.closed.at, evidence.facts.opened.at);
  EXPECT_EQ(evidence.facts.server.requests, 0U);
  EXPECT_FALSE(server_->wait(0)) << "the run may still look at it";
  peer_.reset();
  EXPECT_TRUE(server_->wait(60 * kSecond));
}

TEST_F(Serving, a_server_that_is_gone_is_named) {
  server_.reset();
  try {
    peer_->hello();
    FAIL() << "there is nobody to answer";
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "server process ended");
  }
}

TEST(ServerRun, by_hand_it_lasts_until_it_is_stopped) {
  ServerRun server(testing::quick(ModelKind::virtual_threads, workload::Kind::sleep), {}, -1);
  EXPECT_GT(server.port(), 0);
  EXPECT_FALSE(server.wait(0));
  server.stop();
  server.stop();
  EXPECT_TRUE(server.wait(60 * kSecond));
}

TEST(ServerRun, cancelling_is_over_at_once) {
  ServerRun server(testing::quick(ModelKind::thread_pool, workload::Kind::noop), {}, -1);
  server.cancel();
  EXPECT_TRUE(server.wait(0));
}

TEST(ServerRun, a_port_in_use_is_told_in_a_sentence) {
  const Scenario scenario = testing::quick(ModelKind::reactive, workload::Kind::noop);
  const ServerRun first(testing::quick(ModelKind::thread_pool, workload::Kind::noop), {}, -1);
  server::ServerOptions listen;
  listen.port = first.port();
  EXPECT_THROW(ServerRun(scenario, listen, -1), Failure);
}

}  // namespace
}  // namespace parkbench::run
