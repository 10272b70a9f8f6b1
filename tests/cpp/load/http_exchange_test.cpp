#include "parkbench/load/http_exchange.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "load/scripted_server.hpp"
#include "parkbench/load/generator.hpp"

namespace parkbench::load {
namespace {

using measure::Outcome;
using measure::Phase;
using measure::Request;
using testing::always_ok;
using testing::ScriptedServer;
using Talk = ScriptedServer::Talk;

class Exchanging {
 public:
  explicit Exchanging(std::uint16_t port, std::uint32_t users = 1)
      : exchange({.port = port, .check = HttpPlan::Check::text, .text = "ok"}, users, clock) {}

  void submit(Request& request) {
    request.sent = clock.now();
    request.outcome = Outcome::none;
    request.error = ErrorCode::none;
    Request* one = &request;
    exchange.submit({&one, 1});
  }
  /// Until an answer is there.
  Request* answer() {
    for (;;) {
      if (Request* got = exchange.take_all()) return got;
      if (exchange.empty()) exchange.wait(clock, Deadline::never());
    }
  }
  Request ask() {
    Request request;
    submit(request);
    EXPECT_EQ(answer(), &request);
    return request;
  }

  const Clock& clock = SteadyClock::instance();
  HttpExchange exchange;
};

ErrorCode error_of(ScriptedServer::Script script) {
  ScriptedServer server({std::move(script)});
  Exchanging client(server.port());
  return client.ask().error;
}

TEST(HttpExchange, keeps_its_connection) {
  ScriptedServer server({always_ok});
  Exchanging client(server.port());
  const Request first = client.ask();
  EXPECT_EQ(first.outcome, Outcome::ok);
  EXPECT_GT(first.trace.spent(Phase::client_wait), 0) << "connecting";
  EXPECT_GE(first.answer_ready, first.sent);
  const Request second = client.ask();
  EXPECT_EQ(second.outcome, Outcome::ok);
  EXPECT_EQ(second.trace.spent(Phase::client_wait), 0);
  EXPECT_EQ(client.exchange.counters().connects, 1U);
  EXPECT_EQ(client.exchange.counters().responses, 2U);
}

TEST(HttpExchange, connects_again_where_the_server_closes_after_each_answer) {
  ScriptedServer server({[](Talk& talk) {
    talk.request();
    talk.answer("ok", "Connection: close\r\n");
  }});
  Exchanging client(server.port());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.ask().outcome, Outcome::ok);
  EXPECT_EQ(client.exchange.counters().connects, 3U);
  EXPECT_EQ(client.exchange.counters().reconnects, 2U);
}

TEST(HttpExchange, names_the_cause_of_each_failure) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n";
  EXPECT_EQ(error_of([](Talk& talk) { talk.request(); }), ErrorCode::closed_before_response);
  EXPECT_EQ(error_of([&](Talk& talk) {
              talk.request();
              talk.say(head + "\r\n12345");
            }),
            ErrorCode::truncated);
  EXPECT_EQ(error_of([&](Talk& talk) {
              talk.request();
              talk.reset();
            }),
            ErrorCode::reset_headers);
  EXPECT_EQ(error_of([](Talk& talk) {
              talk.request();
              talk.say("HTP/1.1 200 OK\r\n\r\n");
              talk.wait_for_close();
            }),
            ErrorCode::protocol_error);
  EXPECT_EQ(error_of([](Talk& talk) {
              talk.request();
              talk.answer("no");
              talk.wait_for_close();
            }),
            ErrorCode::wrong_answer);
}

TEST(HttpExchange, a_port_where_nobody_listens_refuses) {
  std::uint16_t port = 0;
  {
    const ScriptedServer gone({always_ok});
    port = gone.port();
  }
  Exchanging client(port);
  EXPECT_EQ(client.ask().error, ErrorCode::connect_refused);
  const auto texts = client.exchange.error_texts();
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts[0].first, ErrorCode::connect_refused);
  EXPECT_NE(texts[0].second.find("connect"), std::string::npos);
}

TEST(HttpExchange, a_connection_closed_while_idle_is_replaced_without_a_failure) {
  std::atomic<bool> answered{false};
  ScriptedServer server({[&](Talk& talk) {
                           talk.request();
                           talk.answer("ok");
                           answered.wait(false);
                         },
                         always_ok});
  Exchanging client(server.port());
  EXPECT_EQ(client.ask().outcome, Outcome::ok);
  answered.store(true);
  answered.notify_all();
  client.exchange.wait(client.clock, Deadline::never());  // for the end of the first connection
  EXPECT_EQ(client.exchange.take_all(), nullptr);
  EXPECT_EQ(client.ask().outcome, Outcome::ok);
  EXPECT_EQ(client.exchange.counters().reconnects, 1U);
}

TEST(HttpExchange, the_answer_to_an_abandoned_request_is_never_taken_for_the_next_ones) {
  ScriptedServer server({[](Talk& talk) {
                           talk.request();
                           talk.wait_for_close();
                           talk.answer("of the first");
                         },
                         always_ok});
  Exchanging client(server.port());
  Request first;
  client.submit(first);
  while (first.trace.spent(Phase::client_wait) == 0) {  // until it is on its way
    client.exchange.wait(client.clock, Deadline::never());
    client.exchange.take_all();
  }
  EXPECT_TRUE(client.exchange.abandon(first));
  EXPECT_EQ(first.error, ErrorCode::timeout);
  EXPECT_EQ(client.exchange.counters().unanswered, 1U);
  EXPECT_EQ(client.ask().outcome, Outcome::ok);
}

TEST(HttpExchange, a_user_with_two_requests_under_way_gets_a_spare_connection) {
  ScriptedServer server({always_ok});
  Exchanging client(server.port());
  std::array<Request, 2> requests;
  for (Request& request : requests) client.submit(request);
  int answered = 0;
  while (answered < 2) {
    for (Request* got = client.answer(); got != nullptr; got = got->next) ++answered;
  }
  EXPECT_EQ(client.exchange.counters().connects, 2U);
  EXPECT_EQ(requests[0].outcome, Outcome::ok);
  EXPECT_EQ(requests[1].outcome, Outcome::ok);
}

TEST(HttpExchange, more_users_than_may_connect_at_once_all_get_their_turn) {
  constexpr std::uint32_t kUsers = 400;
  ScriptedServer server({always_ok});
  Exchanging client(server.port(), kUsers);
  std::vector<Request> requests(kUsers);
  for (std::uint32_t user = 0; user < kUsers; ++user) {
    requests[user].user = user;
    client.submit(requests[user]);
  }
  std::uint32_t answered = 0;
  while (answered < kUsers) {
    for (Request* got = client.answer(); got != nullptr; got = got->next) ++answered;
  }
  for (const Request& request : requests) EXPECT_EQ(request.outcome, Outcome::ok);
}

TEST(HttpExchange, tells_when_the_other_end_of_a_socket_is_gone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), 0);
  const UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const ScriptedServer server({always_ok});
  Exchanging client(server.port());
  int gone = 0;
  client.exchange.watch_peer(ours.get(), [&] { ++gone; });
  theirs.reset();
  while (gone == 0) {
    client.exchange.wait(client.clock, Deadline::never());
    client.exchange.take_all();
  }
  EXPECT_EQ(client.ask().outcome, Outcome::ok);
  EXPECT_EQ(gone, 1);
}

struct Unobserved final : WindowObserver {
  void window_opened() override {}
  void window_closed() override {}
};

TEST(HttpExchange, carries_a_whole_load_with_its_phases) {
  ScriptedServer server({[](Talk& talk) {
    while (talk.request()) talk.answer("ok", "Server-Timing: queue;dur=0.001, cpu;dur=0.002, total;dur=0.003\r\n");
  }});
  Exchanging client(server.port(), 8);
  Unobserved observer;
  const LoadPlan plan{.users = 8, .warm_up = 0, .requests_per_user = 200};
  Generator generator(plan, client.exchange, client.clock, observer, {});
  generator.run();
  const auto& r = generator.result();
  EXPECT_EQ(r.ledger.ok, 1'600U);
  EXPECT_TRUE(r.ledger.balances());
  EXPECT_EQ(r.outstanding, 0U);
  EXPECT_GT(r.timed, 0U);
  EXPECT_EQ(r.phases[static_cast<std::size_t>(Phase::cpu)], static_cast<Ns>(r.timed) * 2'000);
  EXPECT_EQ(r.phases[static_cast<std::size_t>(Phase::network)], r.timed_from_send - static_cast<Ns>(r.timed) * 3'000);
  EXPECT_EQ(r.samples.slowest().size(), std::min<std::size_t>(r.timed, measure::PhaseSamples::kKept));
}

TEST(HttpExchange, a_request_that_gets_no_answer_times_out_and_its_user_goes_on) {
  ScriptedServer server({[](Talk& talk) { talk.wait_for_close(); }, always_ok});
  Exchanging client(server.port());
  Unobserved observer;
  const LoadPlan plan{
      .users = 1, .warm_up = 0, .warm_up_limit = 0, .requests_per_user = 5, .timeout = 50 * kMillisecond};
  Generator generator(plan, client.exchange, client.clock, observer, {});
  generator.run();
  const auto& r = generator.result();
  EXPECT_EQ(r.ledger.scheduled, 5U);
  EXPECT_EQ(r.ledger.ok, 5U) << "the first one was of the warm-up";
  EXPECT_EQ(client.exchange.counters().unanswered, 1U);
}

}  // namespace
}  // namespace parkbench::load
