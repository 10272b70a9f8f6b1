#include "parkbench/workload/gateway/reactive.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <future>
#include <latch>
#include <optional>
#include <thread>

#include "client/scripted_server.hpp"
#include "workload/gateway/forms.hpp"
#include "workload/manual_waiter.hpp"

namespace parkbench::workload::gateway {
namespace {

using client::testing::answer;
using client::testing::ScriptedServer;
using measure::Phase;
using testing::Result;
using Turn = ScriptedServer::Turn;

/// A server whose answers can be held back.
class HeldServer {
 public:
  HeldServer() : released_(release_.get_future()) {}
  ~HeldServer() { release(); }
  void release() {
    if (!std::exchange(gone_, true)) release_.set_value();
  }
  void wait_for(int requests) const {
    while (server.requests() < requests) std::this_thread::yield();
  }

 private:
  std::promise<void> release_;
  std::shared_future<void> released_;
  bool gone_ = false;

 public:
  ScriptedServer server{[this](int, int, const std::string&) {
    released_.wait();
    return Turn{answer("downstream ok")};
  }};
};

class EveryForm : public ::testing::TestWithParam<const char*> {
 protected:
  ~EveryForm() override {
    if (resources) resources->close();
  }
  GatewayOptions& to(std::uint16_t port) {
    options.gateway.downstream = Downstream::http;
    options.gateway.port = port;
    return options.gateway;
  }
  testing::Later start(const Inbound& inbound = {}, Deadline deadline = Deadline::never()) {
    if (!resources) resources.emplace(options, SteadyClock::instance());
    auto& request = requests.emplace_back();
    request.number = requests.size();
    request.deadline = deadline;
    return form->start(*resources, request, inbound);
  }
  static Deadline in(Ns time) { return Deadline::at(SteadyClock::instance().now() + time); }
  bool is(const char* model) const { return std::string(GetParam()) == model; }

  std::unique_ptr<testing::Form> form = testing::make_form(GetParam());
  Options options = workload::testing::without_database(Kind::gateway);
  std::deque<measure::Request> requests;
  std::optional<Resources> resources;
};

TEST_P(EveryForm, a_timer_answers_and_the_time_is_the_downstreams) {
  options.gateway.delay.base = 5 * kMillisecond;
  const Passed passed = start().get().passed;
  EXPECT_EQ(passed.status, 200);
  EXPECT_EQ(passed.body, "downstream ok");
  EXPECT_EQ(passed.content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(requests[0].trace.spent(Phase::downstream), 5 * kMillisecond);
}

TEST_P(EveryForm, filters_come_first) {
  options.gateway.token = "t";
  EXPECT_EQ(start({.denied = true}).get().passed.status, 403);
  EXPECT_EQ(start().get().passed.status, 401);
  EXPECT_EQ(start({.authorization = "Bearer t"}).get().passed.body, "downstream ok");
}

TEST_P(EveryForm, passes_on_what_the_downstream_says) {
  std::string seen;
  ScriptedServer server([&seen](int, int, const std::string& text) {
    seen = text;
    return Turn{answer("no tea", "418 I'm a teapot")};
  });
  to(server.port());
  const Passed passed = start({.path = "/gateway/tea"}).get().passed;
  EXPECT_EQ(passed.status, 418);
  EXPECT_EQ(passed.body, "no tea");
  EXPECT_EQ(passed.content_type, "text/plain");
  EXPECT_TRUE(seen.starts_with("GET /tea HTTP/1.1\r\n")) << seen;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(start().get().passed.status, 418);
  EXPECT_EQ(server.connections(), 1);
}

TEST_P(EveryForm, a_downstream_that_is_not_there_has_failed) {
  to(client::testing::free_port());
  EXPECT_EQ(start().get().error.code, ErrorCode::downstream_failed);
}

TEST_P(EveryForm, whose_time_is_up_decides_on_the_error) {
  HeldServer held;
  to(held.server.port()).downstream_timeout = 20 * kMillisecond;
  EXPECT_EQ(start().get().error.code, ErrorCode::downstream_timeout);
  EXPECT_EQ(start({}, in(10 * kMillisecond)).get().error.code, ErrorCode::timeout);
  EXPECT_EQ(resources->gateway.client().counters().connections, 0);
}

TEST_P(EveryForm, a_timer_times_out_as_well) {
  options.gateway.delay.base = 20 * kSecond;
  options.gateway.downstream_timeout = 5 * kMillisecond;
  EXPECT_EQ(start().get().error.code, ErrorCode::downstream_timeout);
}

TEST_P(EveryForm, no_more_than_the_bulkhead_are_at_the_downstream) {
  HeldServer held;
  to(held.server.port()).bulkhead = 1;
  auto first = start();
  held.wait_for(1);
  EXPECT_EQ(start().get().error.code, ErrorCode::bulkhead_full);
  held.release();
  EXPECT_EQ(first.get().passed.status, 200);
  EXPECT_EQ(start().get().passed.status, 200);
}

TEST_P(EveryForm, a_failing_downstream_is_spared) {
  to(client::testing::free_port()).circuit_breaker = true;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(start().get().error.code, ErrorCode::downstream_failed);
  EXPECT_EQ(start().get().error.code, ErrorCode::circuit_open);
}

TEST_P(EveryForm, several_calls_run_at_once) {
  std::latch all(3);
  ScriptedServer server([&all](int, int, const std::string&) {
    all.arrive_and_wait();
    return Turn{answer("x")};
  });
  to(server.port()).aggregate = 3;
  EXPECT_EQ(start().get().passed.body, "x\nx\nx");
}

TEST_P(EveryForm, several_calls_run_one_after_the_other) {
  ScriptedServer server([](int, int request, const std::string&) { return Turn{answer(std::to_string(request))}; });
  to(server.port()).aggregate = 3;
  options.gateway.aggregate_order = AggregateOrder::sequential;
  EXPECT_EQ(start().get().passed.body, "0\n1\n2");
  EXPECT_EQ(server.connections(), 1);
}

TEST_P(EveryForm, calls_at_once_do_not_block_each_other_for_want_of_connections) {
  ScriptedServer server(client::testing::always_ok);
  to(server.port()).aggregate = 4;
  options.gateway.downstream_connections = 3;
  std::vector<testing::Later> results;
  for (int i = 0; i < 20; ++i) results.push_back(start());
  for (auto& result : results) EXPECT_EQ(result.get().passed.body, "ok\nok\nok\nok");
  EXPECT_LE(server.connections(), 3);
}

TEST_P(EveryForm, one_failing_call_fails_the_request) {
  ScriptedServer server([](int connection, int, const std::string&) {
    return Turn{connection == 1 ? "" : answer("ok"),
                connection == 1 ? ScriptedServer::Then::close : ScriptedServer::Then::keep};
  });
  to(server.port()).aggregate = 3;
  EXPECT_EQ(start().get().error.code, ErrorCode::downstream_failed);
  EXPECT_EQ(resources->gateway.client().counters().in_use, 0);
}

TEST_P(EveryForm, timers_at_once_take_as_long_as_the_longest) {
  options.gateway.delay.base = 2 * kMillisecond;
  options.gateway.aggregate = 3;
  EXPECT_EQ(start().get().passed.body, "downstream ok\ndownstream ok\ndownstream ok");
  EXPECT_EQ(requests[0].trace.spent(Phase::downstream), 2 * kMillisecond);
}

TEST_P(EveryForm, timers_one_after_the_other_take_as_long_as_all) {
  options.gateway.delay.base = 2 * kMillisecond;
  options.gateway.aggregate = 3;
  options.gateway.aggregate_order = AggregateOrder::sequential;
  EXPECT_EQ(start().get().passed.body, "downstream ok\ndownstream ok\ndownstream ok");
  EXPECT_EQ(requests[0].trace.spent(Phase::downstream), 6 * kMillisecond);
}

class HeldLock : public EveryForm {
 protected:
  /// Two requests; the second one comes to the downstream only when the first one is through.
  void run_two(FilterLock lock) {
    HeldServer held;
    to(held.server.port()).filter_lock = lock;
    auto first = start();
    held.wait_for(1);
    auto second = start();
    EXPECT_EQ(held.server.requests(), 1);
    held.release();
    EXPECT_EQ(first.get().passed.status, 200);
    EXPECT_EQ(second.get().passed.status, 200);
    EXPECT_EQ(held.server.connections(), 1);
  }
};

TEST_P(HeldLock, parking_lets_one_through_at_a_time_and_pins_nobody) {
  run_two(FilterLock::parking);
  EXPECT_EQ(resources->pins.load(), 0U);
}

TEST_P(HeldLock, pinning_holds_the_carrier_or_loop) {
  run_two(FilterLock::pinning);
  EXPECT_EQ(resources->pins.load(), is("thread_pool") ? 0U : 2U);
}

TEST_P(HeldLock, nobody_waits_for_it_longer_than_he_may) {
  HeldServer held;
  to(held.server.port()).filter_lock = FilterLock::parking;
  auto first = start();
  held.wait_for(1);
  EXPECT_EQ(start({}, in(20 * kMillisecond)).get().error.code, ErrorCode::timeout);
  EXPECT_GE(requests[1].trace.spent(Phase::app_wait), 1);
  held.release();
  EXPECT_EQ(first.get().passed.status, 200);
  EXPECT_EQ(start().get().passed.status, 200);
}

const auto kModels = ::testing::Values("thread_pool", "virtual_threads", "reactive");
const auto kName = [](const auto& model) { return std::string(model.param); };
INSTANTIATE_TEST_SUITE_P(Models, EveryForm, kModels, kName);
INSTANTIATE_TEST_SUITE_P(Models, HeldLock, kModels, kName);

class Cancelled : public ::testing::Test {
 protected:
  ~Cancelled() override { resources->close(); }
  void run(FilterLock lock) {
    options.gateway.downstream = Downstream::http;
    options.gateway.port = held.server.port();
    options.gateway.bulkhead = 1;
    options.gateway.filter_lock = lock;
    resources.emplace(options, SteadyClock::instance());
    measure::Request first;
    const auto result = form.start(*resources, first, {});
    held.wait_for(1);
    form.cancel();
    EXPECT_EQ(resources->gateway.client().counters().connections, 0);
    held.release();
    measure::Request second;
    EXPECT_EQ(form.start(*resources, second, {}).get().passed.status, 200);
  }
  testing::OnLoop form;
  HeldServer held;
  Options options = workload::testing::without_database(Kind::gateway);
  std::optional<Resources> resources;
};

TEST_F(Cancelled, gives_back_its_place_and_its_connection) { run(FilterLock::none); }

TEST_F(Cancelled, gives_back_the_lock) { run(FilterLock::parking); }

}  // namespace
}  // namespace parkbench::workload::gateway
