#include "parkbench/client/await_call.hpp"

#include <gtest/gtest.h>

#include "client/callers.hpp"

namespace parkbench::client {
namespace {

using measure::Phase;
using testing::BlockingCaller;

TEST(AwaitCall, answers_and_says_where_the_time_went) {
  testing::ScriptedServer server(testing::always_ok);
  BlockingCaller caller;
  ConnectionPool pool(Address("127.0.0.1", server.port()), 0, caller.clock);
  measure::PhaseTrace trace;
  const Ns begin = caller.clock.now();
  trace.begin(Phase::cpu, begin);
  const Answer answer = await_call(pool, testing::kRequest, caller.waiter, testing::soon(), trace);
  const Ns end = caller.clock.now();
  trace.end(end);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "ok");
  EXPECT_EQ(answer.content_type, "text/plain");
  EXPECT_GT(trace.spent(Phase::connection), 0);  // it had to be opened
  EXPECT_GT(trace.spent(Phase::downstream), 0);
  Ns sum = 0;
  for (const Ns part : trace.all()) sum += part;
  EXPECT_EQ(sum, end - begin);
}

TEST(AwaitCall, leaves_the_trace_whole_when_it_fails) {
  BlockingCaller caller;
  ConnectionPool pool(Address("127.0.0.1", testing::free_port()), 0, caller.clock);
  measure::PhaseTrace trace;
  const Ns begin = caller.clock.now();
  trace.begin(Phase::cpu, begin);
  EXPECT_THROW(await_call(pool, testing::kRequest, caller.waiter, testing::soon(), trace), Failure);
  const Ns end = caller.clock.now();
  trace.end(end);
  Ns sum = 0;
  for (const Ns part : trace.all()) sum += part;
  EXPECT_EQ(sum, end - begin);
  EXPECT_EQ(trace.spent(Phase::downstream), 0);
}

TEST(Record, splits_a_wait_in_line_from_the_call) {
  measure::PhaseTrace trace;
  trace.begin(Phase::cpu, 0);
  record(trace, {.asked = 10, .line_told = 30, .line_running = 35, .sent = 40, .told = 90, .running = 94});
  trace.end(100);
  EXPECT_EQ(trace.spent(Phase::cpu), 10 + 6);
  EXPECT_EQ(trace.spent(Phase::connection), 20 + 5);
  EXPECT_EQ(trace.spent(Phase::wakeup), 5 + 4);
  EXPECT_EQ(trace.spent(Phase::downstream), 50);
}

}  // namespace
}  // namespace parkbench::client
