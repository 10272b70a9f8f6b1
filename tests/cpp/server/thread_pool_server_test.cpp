#include "parkbench/server/thread_pool_server.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <numeric>
#include <set>

#include "parkbench/base/thread.hpp"
#include "server/every_server.hpp"

namespace parkbench::server::testing {
namespace {

using io::ThreadState;
using thread_pool::RejectionPolicy;

/// One worker, so that one slow reader of a stream is enough to have none left.
struct OneWorker {
  explicit OneWorker(std::size_t queue = 1'000, RejectionPolicy rejection = RejectionPolicy::reject)
      : resources(sleeping(), SteadyClock::instance()),
        server({}, {.workers = 1, .queue = queue, .rejection = rejection}, resources) {}

  std::int64_t threads(ThreadState state) const { return server.counters().threads[static_cast<std::size_t>(state)]; }
  void wait_until_queued(std::int64_t requests) {
    until([&] { return server.counters().queued == requests; });
  }
  /// Holds the worker until the peer reads on or is gone.
  std::unique_ptr<Peer> hold_worker() {
    auto reader = std::make_unique<Peer>(server.port(), 4096);
    reader->send(request("/stream?rows=100000"));
    until([&] { return threads(ThreadState::on_io) == 1; });
    return reader;
  }

  workload::Resources resources;
  ThreadPoolServer server;
};

TEST(ThreadPoolServer, answers_what_needs_no_model_while_every_worker_is_busy) {
  OneWorker s;
  const auto reader = s.hold_worker();
  Peer peer(s.server.port());
  EXPECT_EQ(peer.get("/healthz").body, "ok\n");
  EXPECT_EQ(peer.get("/metrics").status, 200);
  EXPECT_NE(peer.get("/dump").body.find("\"route\": \"/stream\""), std::string::npos);
  EXPECT_EQ(peer.get("/nowhere").status, 404);
  EXPECT_EQ(s.threads(ThreadState::on_io), 1) << "still the same stream";
  peer.send(request("/hello"));
  s.wait_until_queued(1);
  EXPECT_EQ(reader->receive().status, 200);
  EXPECT_EQ(peer.receive().body, "Hello, World!");
}

TEST(ThreadPoolServer, connections_without_a_complete_request_hold_no_worker) {
  OneWorker s;
  std::deque<Peer> idle;
  for (int i = 0; i < 50; ++i) {
    Peer& peer = idle.emplace_back(s.server.port());
    if (i % 2 == 0) {
      EXPECT_EQ(peer.get("/hello").status, 200);
    } else {
      peer.send("GET /hello HTTP/1.1\r\nHost: te");
    }
  }
  EXPECT_EQ(Peer(s.server.port()).get("/hello").body, "Hello, World!");
  EXPECT_EQ(s.server.counters().held, 0);
  for (int i = 0; i < 50; ++i) {
    if (i % 2 == 1) idle[static_cast<std::size_t>(i)].send("st\r\n\r\n");
    if (i % 2 == 0) idle[static_cast<std::size_t>(i)].send(request("/hello"));
    EXPECT_EQ(idle[static_cast<std::size_t>(i)].receive().body, "Hello, World!");
  }
}

TEST(ThreadPoolServer, a_full_queue_refuses) {
  OneWorker s(1);
  const auto reader = s.hold_worker();
  Peer queued(s.server.port());
  queued.send(request("/hello"));
  s.wait_until_queued(1);
  Peer refused(s.server.port());
  // Both requests of the pipeline: what is refused goes on with the next at once.
  refused.send(request("/hello") + request("/hello"));
  for (int i = 0; i < 2; ++i) {
    const Answer answer = refused.receive();
    EXPECT_EQ(answer.status, 503);
    EXPECT_TRUE(answer.has("Retry-After: 1\r\n"));
  }
  reader->reset();
  EXPECT_EQ(queued.receive().status, 200);
  EXPECT_EQ(refused.get("/hello").status, 200);
}

TEST(ThreadPoolServer, a_full_queue_that_blocks_holds_everybody_up_and_lets_go) {
  OneWorker s(1, RejectionPolicy::block);
  const auto reader = s.hold_worker();
  std::deque<Peer> peers;
  for (int i = 0; i < 8; ++i) peers.emplace_back(s.server.port()).send(request("/hello"));
  until([&] { return s.server.counters().queued >= 2; });  // one in the queue, one whose submission waits
  // The I/O thread waits for room: the worker must be able to end its stream without it.
  EXPECT_EQ(reader->receive().status, 200);
  for (Peer& peer : peers) EXPECT_EQ(peer.receive().body, "Hello, World!");
}

TEST(ThreadPoolServer, a_full_queue_whose_caller_runs_answers_on_the_io_thread) {
  OneWorker s(1, RejectionPolicy::caller_runs);
  const auto reader = s.hold_worker();
  Peer queued(s.server.port());
  queued.send(request("/hello"));
  s.wait_until_queued(1);
  EXPECT_EQ(Peer(s.server.port()).get("/sleep?ms=1").body, "slept");
  EXPECT_EQ(s.threads(ThreadState::on_io), 1) << "the worker still has its stream";
  reader->reset();
  EXPECT_EQ(queued.receive().status, 200);
}

TEST(ThreadPoolServer, a_stop_answers_what_is_queued) {
  OneWorker s;
  auto reader = s.hold_worker();
  std::deque<Peer> peers;
  for (int i = 0; i < 20; ++i) peers.emplace_back(s.server.port()).send(request("/hello"));
  s.wait_until_queued(20);
  Thread stop("stop", [&] { s.server.stop(); });
  until([&] { return !Peer(s.server.port()).connected(); });
  EXPECT_NE(reader->receive().body.find("id: 100000\n"), std::string::npos);
  for (Peer& peer : peers) {
    const Answer answer = peer.receive();
    EXPECT_EQ(answer.body, "Hello, World!");
    EXPECT_TRUE(answer.has("Connection: close\r\n"));
    EXPECT_TRUE(peer.at_end());
  }
}

TEST(ThreadPoolServer, counts_the_io_thread_with_its_workers) {
  Setting s("thread_pool");
  const auto threads = s.server->counters().threads;
  EXPECT_EQ(std::accumulate(threads.begin(), threads.end(), std::int64_t{0}), 5);
  until([&] {
    const auto ids = s.server->thread_ids();
    const std::set<int> different(ids.begin(), ids.end());
    return ids.size() == 5 && different.size() == 5 && !different.contains(0);
  });
}

}  // namespace
}  // namespace parkbench::server::testing
