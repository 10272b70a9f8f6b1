#include "parkbench/client/blocking_call.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "client/callers.hpp"

namespace parkbench::client {
namespace {

using testing::BlockingCaller;
using testing::kRequest;
using testing::ScriptedServer;

TEST(BlockingCall, several_are_under_way_at_once) {
  // No answer before all three have come: calls one after the other would never end.
  std::latch all(3);
  ScriptedServer server([&all](int, int, const std::string&) {
    all.arrive_and_wait();
    return ScriptedServer::Turn{testing::answer("ok")};
  });
  BlockingCaller caller;
  ConnectionPool pool(Address("127.0.0.1", server.port()), 0, caller.clock);
  BlockingCall a(pool, caller.waiter, testing::soon());
  BlockingCall b(pool, caller.waiter, testing::soon());
  BlockingCall c(pool, caller.waiter, testing::soon());
  for (BlockingCall* call : {&a, &b, &c}) EXPECT_TRUE(call->begin(kRequest, false));
  for (BlockingCall* call : {&a, &b, &c}) EXPECT_EQ(call->finish().body, "ok");
  EXPECT_EQ(pool.counters().in_use, 0);
}

TEST(BlockingCall, need_not_stand_in_line) {
  ScriptedServer server(testing::always_ok);
  BlockingCaller caller;
  ConnectionPool pool(Address("127.0.0.1", server.port()), 1, caller.clock);
  BlockingCall first(pool, caller.waiter, testing::soon());
  BlockingCall second(pool, caller.waiter, testing::soon());
  EXPECT_TRUE(first.begin(kRequest));
  EXPECT_FALSE(second.begin(kRequest, false));
  first.finish();
  EXPECT_TRUE(second.begin(kRequest, false));
  EXPECT_EQ(second.finish().body, "ok");
}

TEST(BlockingCall, let_go_unfinished_closes_its_connection) {
  ScriptedServer server(testing::always_ok);
  BlockingCaller caller;
  ConnectionPool pool(Address("127.0.0.1", server.port()), 0, caller.clock);
  {
    BlockingCall call(pool, caller.waiter, testing::soon());
    call.begin(kRequest);
  }
  EXPECT_EQ(pool.counters().connections, 0);
  EXPECT_EQ(pool.counters().in_use, 0);
}

TEST(BlockingCall, gets_the_connection_that_another_thread_gives_back) {
  ScriptedServer server(testing::always_ok);
  BlockingCaller caller;
  ConnectionPool pool(Address("127.0.0.1", server.port()), 1, caller.clock);
  BlockingCall first(pool, caller.waiter, testing::soon());
  first.begin(kRequest);
  testing::Outcome outcome;
  {
    Thread other("other", [&] {
      testing::ByBlocking by;
      outcome = by.call(pool, testing::soon());
    });
    while (pool.counters().waiting == 0) std::this_thread::yield();
    first.finish();
  }
  EXPECT_EQ(outcome.answer.body, "ok");
  EXPECT_GT(outcome.times.line_told, 0);
  EXPECT_GE(outcome.times.line_running, outcome.times.line_told);
}

}  // namespace
}  // namespace parkbench::client
