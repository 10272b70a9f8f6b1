#include "parkbench/server/downstream_server.hpp"

#include <gtest/gtest.h>

#include "client/callers.hpp"
#include "parkbench/client/await_call.hpp"
#include "parkbench/http/client_session.hpp"

namespace parkbench::server {
namespace {

using client::testing::BlockingCaller;

class Downstream : public ::testing::Test {
 protected:
  DownstreamServer& serve(const workload::Delay& delay, int loops = 2) {
    DownstreamServer& made = server.emplace(ServerOptions{}, delay, loops);
    pool.emplace(client::Address("127.0.0.1", made.port()), 0, caller.clock);
    return made;
  }
  client::Answer get(const std::string& target) {
    measure::PhaseTrace trace;
    return client::await_call(*pool, http::get_request(target, "test"), caller.waiter, client::testing::soon(), trace);
  }
  static workload::Delay at_once() {
    workload::Delay delay;
    delay.base = 0;
    return delay;
  }
  std::optional<DownstreamServer> server;
  BlockingCaller caller;
  std::optional<client::ConnectionPool> pool;
};

TEST_F(Downstream, answers_anything_over_kept_connections) {
  serve(at_once());
  for (const char* target : {"/", "/orders/7", "/sleep", "/sleep?ms=0", "/a?b=c"}) {
    const client::Answer answer = get(target);
    EXPECT_EQ(answer.status, 200) << target;
    EXPECT_EQ(answer.body, "downstream ok") << target;
    EXPECT_EQ(answer.content_type, "text/plain; charset=utf-8");
  }
  EXPECT_EQ(server->requests(), 5U);
  EXPECT_EQ(pool->counters().connections, 1);
}

TEST_F(Downstream, takes_as_long_as_it_is_told) {
  workload::Delay delay;
  delay.base = 3 * kMillisecond;
  serve(delay);
  const Ns begin = caller.clock.now();
  get("/");
  EXPECT_GE(caller.clock.now() - begin, 3 * kMillisecond);
  const Ns again = caller.clock.now();
  get("/sleep?ms=4.5");
  EXPECT_GE(caller.clock.now() - again, 4 * kMillisecond + 500 * kMicrosecond);
}

TEST_F(Downstream, is_slow_once_the_window_is_open) {
  workload::Delay delay = at_once();
  delay.slow = 3 * kMillisecond;
  delay.slow_until = 1000 * kSecond;
  serve(delay);
  get("/");
  server->window_opened(caller.clock.now());
  const Ns begin = caller.clock.now();
  get("/");
  EXPECT_GE(caller.clock.now() - begin, 3 * kMillisecond);
}

TEST_F(Downstream, refuses_what_is_no_time) {
  serve(at_once());
  for (const char* target : {"/sleep?ms=x", "/sleep?ms=-1", "/sleep?ms=60001"}) EXPECT_EQ(get(target).status, 400);
}

TEST_F(Downstream, answers_what_is_in_flight_before_it_stops) {
  workload::Delay delay;
  delay.base = 50 * kMillisecond;
  serve(delay, 1);
  client::BlockingCall call(*pool, caller.waiter, client::testing::soon());
  const std::string request = http::get_request("/", "test");
  call.begin(request);
  get("/sleep?ms=0");  // the loop has seen the first request when it answers this one
  server->stop();
  EXPECT_EQ(call.finish().body, "downstream ok");
  EXPECT_EQ(server->connections(), 0);
}

TEST_F(Downstream, lives_through_a_client_that_goes_away) {
  workload::Delay delay;
  delay.base = 5 * kMillisecond;
  serve(delay);
  {
    client::BlockingCall call(*pool, caller.waiter, client::testing::soon());
    const std::string request = http::get_request("/", "test");
    call.begin(request);
  }
  EXPECT_EQ(get("/").body, "downstream ok");
}

}  // namespace
}  // namespace parkbench::server
