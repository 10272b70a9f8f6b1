#include "parkbench/client/loop_call.hpp"

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <thread>

#include "client/callers.hpp"
#include "parkbench/client/connect.hpp"

namespace parkbench::client {
namespace {

using testing::LoopCaller;
using testing::Outcome;
using testing::ScriptedServer;
using Then = ScriptedServer::Then;
using Turn = ScriptedServer::Turn;

/// What one call comes to is the same in both forms.
class BothForms : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<testing::Caller> caller() const {
    if (GetParam()) return std::make_unique<testing::ByLoop>();
    return std::make_unique<testing::ByBlocking>();
  }
  /// One call to a server that does `turn` with the first request.
  Error error_of(const Turn& turn, Deadline deadline = testing::soon()) {
    ScriptedServer server([&turn](int, int, const std::string&) { return turn; });
    const auto by = caller();
    ConnectionPool pool(Address("127.0.0.1", server.port()), 0, SteadyClock::instance());
    const Outcome outcome = by->call(pool, deadline);
    EXPECT_EQ(pool.counters().in_use, 0);
    EXPECT_EQ(pool.counters().connections, outcome.error.code == ErrorCode::none ? 1 : 0);
    pool.close();
    return outcome.error;
  }
};

TEST_P(BothForms, a_connection_is_used_again) {
  ScriptedServer server(testing::always_ok);
  const auto by = caller();
  ConnectionPool pool(Address("127.0.0.1", server.port()), 0, SteadyClock::instance());
  for (int i = 0; i < 5; ++i) {
    const Outcome outcome = by->call(pool, testing::soon());
    EXPECT_EQ(outcome.error.message, "");
    EXPECT_EQ(outcome.answer.body, "ok");
    EXPECT_LE(outcome.times.asked, outcome.times.sent);
    EXPECT_LE(outcome.times.sent, outcome.times.told);
    EXPECT_LE(outcome.times.told, outcome.times.running);
  }
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(pool.counters().connections, 1);
  pool.close();
}

TEST_P(BothForms, an_answer_in_many_pieces_until_the_close_is_whole) {
  const std::string body(300'000, 'x');
  ScriptedServer server(
      [&body](int, int, const std::string&) { return Turn{"HTTP/1.1 200 OK\r\n\r\n" + body, Then::close}; });
  const auto by = caller();
  ConnectionPool pool(Address("127.0.0.1", server.port()), 0, SteadyClock::instance());
  EXPECT_EQ(by->call(pool, testing::soon()).answer.body, body);
  EXPECT_EQ(pool.counters().connections, 0);
}

TEST_P(BothForms, errors_are_told_apart) {
  EXPECT_EQ(error_of({"", Then::close}).code, ErrorCode::closed_before_response);
  EXPECT_EQ(error_of({"", Then::reset}).code, ErrorCode::reset_headers);
  EXPECT_EQ(error_of({"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", Then::close}).code, ErrorCode::truncated);
  EXPECT_EQ(error_of({"SMTP ready\r\n\r\n", Then::keep}).code, ErrorCode::protocol_error);
  EXPECT_EQ(error_of({"", Then::keep}, testing::within(20 * kMillisecond)).code, ErrorCode::timeout);
  EXPECT_EQ(error_of({}, Deadline::at(1)).code, ErrorCode::timeout);
}

TEST_P(BothForms, nobody_listens) {
  const auto by = caller();
  ConnectionPool pool(Address("127.0.0.1", testing::free_port()), 0, SteadyClock::instance());
  EXPECT_EQ(by->call(pool, testing::soon()).error.code, ErrorCode::connect_refused);
  EXPECT_EQ(pool.counters().connections, 0);
}

TEST_P(BothForms, nobody_accepts) {
  std::uint16_t port = 0;
  const UniqueFd listener = testing::listen_somewhere(port, 0);
  const Address address("127.0.0.1", port);
  std::array<UniqueFd, 4> crowd;
  for (UniqueFd& fd : crowd) begin_connect(address, fd);
  const auto by = caller();
  ConnectionPool pool(address, 0, SteadyClock::instance());
  EXPECT_EQ(by->call(pool, testing::within(20 * kMillisecond)).error.code, ErrorCode::connect_timeout);
  EXPECT_EQ(pool.counters().in_use, 0);
}

TEST_P(BothForms, a_kept_connection_that_the_server_has_closed_is_replaced_once) {
  // The first connection ends after its first answer without having said so.
  ScriptedServer server([](int connection, int, const std::string&) {
    return Turn{testing::answer("ok"), connection == 0 ? Then::close : Then::keep};
  });
  const auto by = caller();
  ConnectionPool pool(Address("127.0.0.1", server.port()), 0, SteadyClock::instance());
  EXPECT_EQ(by->call(pool, testing::soon()).answer.body, "ok");
  const Outcome again = by->call(pool, testing::soon());
  EXPECT_EQ(again.error.message, "");
  EXPECT_EQ(again.answer.body, "ok");
  EXPECT_EQ(server.connections(), 2);
  EXPECT_LE(pool.counters().stale_retries, 1U);  // 0 where a poller has told of the end before
  pool.close();
}

TEST_P(BothForms, waits_in_line_no_longer_than_it_may) {
  ScriptedServer server(testing::always_ok);
  const auto by = caller();
  ConnectionPool pool(Address("127.0.0.1", server.port()), 1, SteadyClock::instance());
  Connection* const taken = pool.try_acquire(nullptr);
  EXPECT_EQ(by->call(pool, testing::within(20 * kMillisecond)).error.code, ErrorCode::pool_timeout);
  EXPECT_EQ(pool.counters().waiting, 0);
  pool.release(*taken);
  EXPECT_EQ(by->call(pool, testing::soon()).answer.body, "ok");
  pool.close();
}

TEST_P(BothForms, a_closed_pool_cancels) {
  const auto by = caller();
  ConnectionPool pool(Address("127.0.0.1", 1), 0, SteadyClock::instance());
  pool.close();
  EXPECT_EQ(by->call(pool, testing::soon()).error.code, ErrorCode::cancelled);
}

INSTANTIATE_TEST_SUITE_P(Forms, BothForms, ::testing::Bool(),
                         [](const auto& form) { return form.param ? "loop" : "blocking"; });

class LoopCalls : public ::testing::Test {
 protected:
  LoopCalls() { loop_.start(); }
  std::int64_t waiting(io::WaitReason reason) { return loop_.gauge().waiting[static_cast<std::size_t>(reason)]; }
  reactive::EventLoop loop_;
};

TEST_F(LoopCalls, cancelled_in_the_middle_closes_the_connection_and_tells_nobody) {
  std::promise<void> arrived;
  std::promise<void> hold;
  ScriptedServer server([&](int, int, const std::string&) {
    arrived.set_value();
    hold.get_future().wait();
    return Turn{testing::answer("late")};
  });
  ConnectionPool pool(Address("127.0.0.1", server.port()), 0, SteadyClock::instance());
  const auto caller = reactive::make_ref<LoopCaller>(pool, loop_);
  const auto over = caller->start(testing::soon());
  arrived.get_future().wait();
  caller->cancel();
  EXPECT_EQ(pool.counters().connections, 0);
  EXPECT_EQ(waiting(io::WaitReason::io), 0);
  EXPECT_NE(over.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  hold.set_value();
}

TEST_F(LoopCalls, cancelled_in_line_leaves_it) {
  ConnectionPool pool(Address("127.0.0.1", 1), 1, SteadyClock::instance());
  Connection* const taken = pool.try_acquire(nullptr);
  const auto caller = reactive::make_ref<LoopCaller>(pool, loop_);
  const auto over = caller->start(testing::soon());
  caller->cancel();
  EXPECT_EQ(pool.counters().waiting, 0);
  EXPECT_EQ(waiting(io::WaitReason::connection), 0);
  pool.release(*taken);
}

TEST_F(LoopCalls, take_the_connection_that_a_thread_gives_back) {
  ScriptedServer server(testing::always_ok);
  ConnectionPool pool(Address("127.0.0.1", server.port()), 1, SteadyClock::instance());
  Connection* const taken = pool.try_acquire(nullptr);
  const auto caller = reactive::make_ref<LoopCaller>(pool, loop_);
  auto over = caller->start(testing::soon());
  while (pool.counters().waiting == 0) std::this_thread::yield();
  pool.release(*taken);
  const Outcome outcome = over.get();
  EXPECT_EQ(outcome.answer.body, "ok");
  EXPECT_GT(outcome.times.line_told, 0);
  pool.close();
}

}  // namespace
}  // namespace parkbench::client
