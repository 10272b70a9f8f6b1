#include "server/every_server.hpp"

#include <numeric>

#include "parkbench/base/thread.hpp"
#include "parkbench/measure/server_timing.hpp"
#include "workload/pricing_database.hpp"

namespace parkbench::server::testing {
namespace {

TEST_P(EveryServer, gives_the_same_bytes_as_the_others) {
  Setting s(GetParam());
  Peer peer(s.port());
  EXPECT_EQ(peer.get("/hello").without_date(),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n\r\nHello, World!");
  EXPECT_EQ(peer.get("/sleep?ms=1").body, "slept");
  EXPECT_EQ(peer.get("/nowhere").without_date(),
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 10\r\n\r\n"
            "Not Found\n");
  EXPECT_EQ(peer.get("/price/x").status, 400);
  EXPECT_EQ(peer.get("/price/1").status, 404) << "no database in this workload";
  EXPECT_EQ(peer.get("/file").status, 404);
  EXPECT_EQ(peer.get("/cpu?us=10").body, "computed");
  EXPECT_EQ(peer.get("/healthz").body, "ok\n");
  EXPECT_EQ(s.server->server_counters().connections_total, 1U);
  EXPECT_EQ(s.server->server_counters().requests, 8U);
}

TEST_P(EveryServer, answers_a_pipeline_in_order_though_the_first_is_the_slowest) {
  Setting s(GetParam());
  Peer peer(s.port());
  peer.send(request("/sleep?ms=40") + request("/hello") + request("/sleep?ms=1") + request("/cpu?us=1"));
  EXPECT_EQ(peer.receive().body, "slept");
  EXPECT_EQ(peer.receive().body, "Hello, World!");
  EXPECT_EQ(peer.receive().body, "slept");
  EXPECT_EQ(peer.receive().body, "computed");
}

TEST_P(EveryServer, reads_no_further_while_nobody_takes_its_answers) {
  Setting s(GetParam());
  Peer peer(s.port(), 4096);
  std::string pipeline;
  for (int i = 0; i < 500; ++i) pipeline += request("/hello") + request("/nowhere");
  Peer watcher(s.port());
  const auto blocked = [&] { return watcher.get("/dump").body.find("\"writing\"") != std::string::npos; };
  std::size_t sent = 0;
  const auto send_more = [&] {
    const std::size_t more = peer.send_some(std::string_view(pipeline).substr(sent % pipeline.size()));
    sent += more;
    return more > 0;
  };
  // Until the server has stopped and the kernel's buffers are full.
  while (send_more() || !blocked() || send_more()) {
    ASSERT_LT(sent, 256U * 1024 * 1024) << "the server reads without end";
  }
  const std::size_t pair = request("/hello").size() + request("/nowhere").size();
  const std::size_t tail = sent % pair == 0 ? 0 : pair - sent % pair;
  Thread rest("rest", [&] { peer.send(std::string_view(pipeline).substr(sent % pipeline.size(), tail)); });
  for (std::size_t answered = 0; answered < (sent + tail) / pair; ++answered) {
    ASSERT_EQ(peer.receive().body, "Hello, World!") << answered;
    ASSERT_EQ(peer.receive().status, 404) << answered;
  }
}

TEST_P(EveryServer, answers_head_without_a_body_and_goes_on) {
  Setting s(GetParam());
  Peer peer(s.port());
  peer.send("HEAD /hello HTTP/1.1\r\nHost: test\r\n\r\n");
  EXPECT_TRUE(peer.receive(true).has("Content-Length: 13\r\n"));
  peer.send("HEAD /stream?rows=1000000 HTTP/1.1\r\nHost: test\r\n\r\n");
  EXPECT_EQ(peer.receive(true).status, 200);
  EXPECT_EQ(peer.get("/hello").body, "Hello, World!");
}

TEST_P(EveryServer, consumes_the_body_of_a_request_that_needs_none) {
  Setting s(GetParam());
  Peer peer(s.port());
  EXPECT_EQ(peer.get("/hello", "Content-Length: 16\r\n\r\nGET / HTTP/1.1\r\n").status, 200);
  // The blank line that get() has sent behind the body belongs to no request.
  EXPECT_EQ(peer.get("/sleep?ms=0").body, "slept");
}

TEST_P(EveryServer, names_the_methods_it_knows) {
  Setting s(GetParam());
  Peer peer(s.port());
  peer.send("POST /hello HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc");
  const Answer refused = peer.receive();
  EXPECT_EQ(refused.status, 405);
  EXPECT_TRUE(refused.has("Allow: GET, HEAD\r\n"));
  peer.send("OPTIONS * HTTP/1.1\r\nHost: test\r\n\r\n");
  EXPECT_EQ(peer.receive().status, 200);
  EXPECT_EQ(peer.get("/hello").status, 200);
}

TEST_P(EveryServer, answers_whoever_has_only_finished_sending) {
  Setting s(GetParam());
  Peer peer(s.port());
  peer.send(request("/sleep?ms=20"));
  peer.finish_sending();
  EXPECT_EQ(peer.receive().body, "slept");
  EXPECT_TRUE(peer.at_end());
}

TEST_P(EveryServer, outlives_peers_that_are_gone_in_the_middle) {
  Setting s(GetParam());
  for (const auto& text : {std::string(), std::string("GET /hel"), request("/sleep?ms=10"), request("/hello"),
                           request("/stream?rows=1000000")}) {
    for (int i = 0; i < 20; ++i) {
      Peer peer(s.port());
      peer.send(text);
      if (i % 2 == 0) peer.reset();
    }
  }
  s.wait_until_connected(0);
  s.wait_until_held(0);
  EXPECT_EQ(Peer(s.port()).get("/hello").status, 200);
}

TEST_P(EveryServer, streams_rows_as_chunks_and_keeps_the_connection) {
  auto work = sleeping();
  work.rows = 3;
  Setting s(GetParam(), {}, work);
  Peer peer(s.port());
  const Answer three = peer.get("/stream");
  EXPECT_TRUE(three.has("Content-Type: text/event-stream\r\n"));
  EXPECT_TRUE(three.body.starts_with("id: 1\ndata: {\"row\":1,"));
  EXPECT_NE(three.body.find("id: 3\n"), std::string::npos);
  const Answer many = peer.get("/stream?rows=5000");
  EXPECT_NE(many.body.find("id: 5000\n"), std::string::npos);
  EXPECT_EQ(peer.get("/stream?rows=0").body, "");
  peer.send("GET /stream?rows=2 HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(peer.receive_to_the_end().ends_with("\n\n"));
}

TEST_P(EveryServer, a_row_that_comes_later_is_sent_when_it_comes) {
  auto work = sleeping();
  work.row_every = 2 * kMillisecond;
  Setting s(GetParam(), {}, work);
  Peer peer(s.port());
  EXPECT_NE(peer.get("/stream?rows=5").body.find("id: 5\n"), std::string::npos);
}

TEST_P(EveryServer, gives_prices_out_of_the_database) {
  Setting s(GetParam(), {}, workload::testing::pricing_options());
  Peer peer(s.port());
  const Answer answer = peer.get("/price/7");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.has("Content-Type: application/json\r\n"));
  EXPECT_TRUE(answer.body.starts_with("{\"product\":7,\"price\":"));
  EXPECT_TRUE(answer.body.ends_with(",\"final_price\":" + std::to_string(workload::testing::expected_price(7)) + "}"));
  EXPECT_EQ(peer.get("/price/" + std::to_string(workload::testing::kProducts + 1)).status, 404);
  EXPECT_EQ(peer.get("/price/4294967296").status, 404);
  EXPECT_NE(peer.get("/metrics").body.find("hikaricp_connections_active{pool=\"parkbench\"} 0\n"), std::string::npos);
}

TEST_P(EveryServer, sends_the_phases_to_whoever_asks_for_them) {
  Setting s(GetParam());
  Peer peer(s.port());
  EXPECT_FALSE(peer.get("/sleep?ms=3").has("Server-Timing"));
  const Answer answer = peer.get("/sleep?ms=3", "X-Parkbench-Timing: 1\r\n");
  const auto at = answer.head.find("Server-Timing: ");
  ASSERT_NE(at, std::string::npos);
  measure::PhaseTrace trace;
  Ns total = 0;
  ASSERT_TRUE(
      measure::parse_server_timing(answer.head.substr(at + 15, answer.head.find('\r', at) - at - 15), trace, total));
  EXPECT_EQ(trace.spent(measure::Phase::app_wait), 3 * kMillisecond);
  EXPECT_EQ(std::accumulate(trace.all().begin(), trace.all().end(), Ns{0}), total);
}

TEST_P(EveryServer, shows_what_it_does) {
  Setting s(GetParam());
  Peer sleeper(s.port());
  s.hold(sleeper);
  Peer watcher(s.port());
  const std::string dump = watcher.get("/dump").body;
  EXPECT_NE(dump.find("\"state\": \"handling\", \"route\": \"/sleep\""), std::string::npos) << dump;
  EXPECT_NE(dump.find("\"in_flight\": 2}"), std::string::npos) << "the request for the dump is one too: " << dump;
  const std::string metrics = watcher.get("/metrics").body;
  EXPECT_NE(metrics.find("parkbench_info{model=\"" + GetParam() + '"'), std::string::npos);
  EXPECT_NE(metrics.find("http_server_requests_active 1\n"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("parkbench_connections 2\n"), std::string::npos) << metrics;
  EXPECT_EQ(sleeper.receive().body, "slept");
}

INSTANTIATE_TEST_SUITE_P(Servers, EveryServer, kServers, server_name);

}  // namespace
}  // namespace parkbench::server::testing
