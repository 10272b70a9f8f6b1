#include "parkbench/run/http_run.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "parkbench/run/downstream_run.hpp"
#include "parkbench/run/run.hpp"
#include "parkbench/run/server_run.hpp"
#include "run/scenarios.hpp"
#include "run/socket_pair.hpp"

namespace parkbench::run {
namespace {

using measure::Phase;

/// A run with its server in the same process: everything but the processes.
class Over {
 public:
  explicit Over(Scenario s) : scenario(std::move(s)) {
    auto [ours, theirs] = testing::socket_pair();
    scenario.transport = Transport::http;
    scenario.server_fd = ours;
    server = std::make_unique<ServerRun>(scenario, server::ServerOptions{}, theirs);
  }
  Report finished() {
    run::Run run(scenario);
    while (!run.wait(kSecond)) {
    }
    return run.report();
  }
  Scenario scenario;
  std::unique_ptr<ServerRun> server;
};

class EveryModelServes : public ::testing::TestWithParam<ModelKind> {};

TEST_P(EveryModelServes, and_both_sides_agree) {
  for (const auto kind : {workload::Kind::noop, workload::Kind::sleep, workload::Kind::pricing}) {
    Over over(testing::quick(GetParam(), kind));
    const Report report = over.finished();
    ASSERT_EQ(report.status, "ok");
    EXPECT_TRUE(report.ledger.balances());
    EXPECT_EQ(report.ledger.ok, report.ledger.scheduled);
    EXPECT_EQ(static_cast<std::uint64_t>(report.answers_model), report.answers_received);
    EXPECT_GE(report.answers_received, report.ledger.ok);
    const double sum = std::accumulate(report.phases_ms.begin(), report.phases_ms.end(), 0.0);
    EXPECT_NEAR(sum, *report.response.mean_ms, 1e-6 * *report.response.mean_ms);
    EXPECT_GT(report.phases_ms[static_cast<std::size_t>(Phase::network)], 0);
    EXPECT_GT(report.phases_of, 0U);
    EXPECT_GT(report.rss_baseline_mib, 0);
    EXPECT_FALSE(report.timeline.empty());
    ASSERT_TRUE(report.http);
    EXPECT_EQ(report.http->connects, 20U);
    EXPECT_EQ(report.http->port, over.server->port());
    if (kind == workload::Kind::sleep) {
      EXPECT_GE(report.phases_ms[static_cast<std::size_t>(Phase::app_wait)], 5.0);
    }
    if (kind == workload::Kind::pricing) {
      ASSERT_TRUE(report.database_reads.has_value());
      EXPECT_EQ(static_cast<std::uint64_t>(*report.database_reads), report.database_reads_expected);
    }
    EXPECT_TRUE(over.server->wait(60 * kSecond)) << "the server ends with its run";
  }
}

TEST_P(EveryModelServes, an_open_load) {
  Scenario scenario = testing::quick(GetParam(), workload::Kind::sleep);
  scenario.load.arrivals = {.kind = load::Arrivals::Kind::poisson, .rate = 2'000};
  scenario.load.users = 100;
  Over over(scenario);
  const Report report = over.finished();
  EXPECT_TRUE(report.ledger.balances());
  EXPECT_GE(report.ledger.ok, 1'000U);
  EXPECT_EQ(static_cast<std::uint64_t>(report.answers_model), report.answers_received);
}

TEST_P(EveryModelServes, a_server_that_ends_is_the_reason_given) {
  Scenario scenario = testing::quick(GetParam(), workload::Kind::sleep);
  scenario.load.duration = 100 * kSecond;
  scenario.load.max_duration = 200 * kSecond;
  Over over(scenario);
  run::Run run(over.scenario);
  while (run.progress().ok < 10 && !run.wait(0)) sched_yield();
  over.server.reset();
  while (!run.wait(kSecond)) {
  }
  EXPECT_EQ(run.report().status, "failed: server process ended");
}

TEST_P(EveryModelServes, and_can_be_cancelled) {
  Scenario scenario = testing::quick(GetParam(), workload::Kind::pricing);
  scenario.load.duration = 100 * kSecond;
  scenario.load.max_duration = 200 * kSecond;
  Over over(scenario);
  run::Run run(over.scenario);
  while (run.progress().ok < 10 && !run.wait(0)) sched_yield();
  run.cancel();
  while (!run.wait(kSecond)) {
  }
  EXPECT_EQ(run.report().status, "incomplete");
  EXPECT_TRUE(run.report().ledger.balances());
}

TEST_P(EveryModelServes, a_gateway_before_a_downstream_of_its_own) {
  Scenario scenario = testing::quick(GetParam(), workload::Kind::gateway);
  auto [ours, theirs] = testing::socket_pair();
  scenario.downstream_fd = ours;
  scenario.workload.gateway.downstream = workload::Downstream::http;
  scenario.workload.gateway.delay.base = 5 * kMillisecond;
  DownstreamRun downstream(scenario, {}, theirs);
  scenario.workload.gateway.port = downstream.port();
  Over over(scenario);
  const Report report = over.finished();
  ASSERT_EQ(report.status, "ok");
  EXPECT_TRUE(report.downstream_cpu_s.has_value());
  EXPECT_GE(report.phases_ms[static_cast<std::size_t>(Phase::downstream)], 5.0);
  EXPECT_TRUE(downstream.wait(60 * kSecond)) << "the downstream ends with its run";
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModelServes,
                         ::testing::Values(ModelKind::thread_pool, ModelKind::virtual_threads, ModelKind::reactive),
                         [](const auto& which) { return testing::name_of(which.param); });

TEST(HttpRun, the_generators_view_goes_into_the_servers_samples_by_time) {
  std::vector<Sample> samples(3);
  samples[0].at = 5;
  samples[1].at = 20;
  samples[2].at = 35;
  std::vector<Sample> seen(2);
  seen[0].at = 10;
  seen[0].ok = 100;
  seen[1].at = 30;
  seen[1].ok = 300;
  add_generators_view(samples, seen);
  EXPECT_EQ(samples[0].ok, 0U);
  EXPECT_EQ(samples[1].ok, 100U);
  EXPECT_EQ(samples[2].ok, 300U);
}

}  // namespace
}  // namespace parkbench::run
