#include <gtest/gtest.h>

#include "parkbench/run/run.hpp"
#include "parkbench/run/server_run.hpp"
#include "run/scenarios.hpp"
#include "run/socket_pair.hpp"

/// What tests and the exam plant must show in the figures that are there to tell it, and in no run without it.
namespace parkbench::run {
namespace {

using measure::Phase;

Report finished(const Scenario& scenario) {
  run::Run run(scenario);
  while (!run.wait(kSecond)) {
  }
  return run.report();
}

/// Over HTTP, with its server in this process.
Report served(Scenario scenario) {
  auto [ours, theirs] = testing::socket_pair();
  scenario.transport = Transport::http;
  scenario.server_fd = ours;
  const ServerRun server(scenario, server::ServerOptions{}, theirs);
  return finished(scenario);
}

Scenario short_one(ModelKind model, workload::Kind kind) {
  Scenario scenario = testing::quick(model, kind);
  scenario.load.max_duration = 200 * kMillisecond;
  scenario.workload.gateway.delay.base = kMillisecond;
  return scenario;
}

double ms_in(const Report& report, Phase phase) { return report.phases_ms[static_cast<std::size_t>(phase)]; }
std::uint64_t failures(const Report& report, ErrorCode code) {
  return report.ledger.failures[static_cast<std::size_t>(code)];
}

class Planted : public ::testing::TestWithParam<ModelKind> {};

TEST_P(Planted, nothing_shows_nothing) {
  const Report report = finished(short_one(GetParam(), workload::Kind::gateway));
  EXPECT_EQ(report.pinned_ms, 0);
  EXPECT_EQ(report.pinned_by, "");
  EXPECT_EQ(report.lock_waiting_mean, 0);
  EXPECT_FALSE(report.connection_hold_mean_ms.has_value()) << "there is no pool";
  EXPECT_EQ(report.failed.count, 0U);
  EXPECT_EQ(report.loop_lag_mean_ms.has_value(), GetParam() == ModelKind::reactive);
  EXPECT_FALSE(report.accept_queue_mean.has_value()) << "nobody listens";
  ASSERT_TRUE(report.run_queue_delay_s.has_value());
  EXPECT_GE(*report.run_queue_delay_s, 0);
  ASSERT_TRUE(report.response.min_ms.has_value());
  EXPECT_GE(*report.response.min_ms, 1.0);
}

TEST_P(Planted, a_blocking_call_is_named_where_it_holds_a_carrier_or_a_loop) {
  Scenario scenario = short_one(GetParam(), workload::Kind::gateway);
  scenario.workload.plant.pin = kMillisecond;
  const Report report = finished(scenario);
  ASSERT_GT(report.ledger.ok, 0U);
  if (GetParam() == ModelKind::thread_pool) {
    EXPECT_EQ(report.pinned_ms, 0);
    EXPECT_GE(ms_in(report, Phase::app_wait), 1.0);
    return;
  }
  EXPECT_EQ(report.pinned_by, "blocking_call");
  EXPECT_GE(report.pinned_ms / static_cast<double>(report.ledger.ok), 0.9);
  EXPECT_GE(ms_in(report, Phase::cpu), 1.0);
  if (GetParam() == ModelKind::reactive) {
    EXPECT_GT(*report.loop_lag_max_ms, 0);
  }
}

TEST_P(Planted, a_lock_shows_by_those_who_wait_for_it) {
  Scenario scenario = short_one(GetParam(), workload::Kind::noop);
  scenario.carriers = scenario.loops = 4;
  scenario.workload.plant.lock = 300 * kMicrosecond;
  const Report report = finished(scenario);
  EXPECT_GT(report.lock_waiting_mean, 0.5);
  EXPECT_GT(ms_in(report, Phase::app_wait) + ms_in(report, Phase::wakeup), 0.3);
}

TEST_P(Planted, too_little_memory_fails_requests_by_that_cause_and_ends_nothing) {
  Scenario scenario = short_one(GetParam(), workload::Kind::cpu);
  scenario.workload.alloc_kib = 64;
  scenario.workload.plant.memory = 32 * 1024;
  const Report report = finished(scenario);
  EXPECT_GT(failures(report, ErrorCode::out_of_memory), 0U);
  EXPECT_EQ(failures(report, ErrorCode::out_of_memory), report.ledger.scheduled);
  EXPECT_EQ(report.failed.count, report.ledger.failed);
  scenario.workload.kind = workload::Kind::pricing;
  scenario.workload.dsn = workload::testing::pricing_dsn();
  scenario.workload.products = scenario.load.products = workload::testing::kProducts;
  const Report priced = finished(scenario);
  EXPECT_EQ(failures(priced, ErrorCode::out_of_memory), priced.ledger.scheduled);
  scenario.workload.kind = workload::Kind::cpu;
  const Report over_http = served(scenario);
  EXPECT_GT(failures(over_http, ErrorCode::out_of_memory), 0U);
  ASSERT_EQ(over_http.http->server_failures.size(), 1U);
  EXPECT_EQ(over_http.http->server_failures[0].first, "out_of_memory");
}

TEST_P(Planted, a_generator_that_burns_is_late) {
  Scenario scenario = short_one(GetParam(), workload::Kind::sleep);
  scenario.workload.sleep = kMillisecond;
  scenario.load.planted_burn = 300 * kMicrosecond;
  EXPECT_GT(ms_in(finished(scenario), Phase::lateness), 1.0);
}

TEST_P(Planted, a_connection_is_held_for_as_long_as_its_query_takes) {
  Scenario scenario = short_one(GetParam(), workload::Kind::pricing);
  scenario.workload.query_delay = 2 * kMillisecond;
  const Report statement = finished(scenario);
  ASSERT_TRUE(statement.connection_hold_mean_ms.has_value());
  EXPECT_GE(*statement.connection_hold_mean_ms, 2.0);
  scenario.workload.connection_hold = workload::ConnectionHold::request;
  scenario.workload.app_wait = 5 * kMillisecond;
  const Report request = finished(scenario);
  EXPECT_GE(*request.connection_hold_mean_ms, 9.0) << "both statements and the wait between";
  EXPECT_EQ(request.database_rows_expected, request.database_reads_expected);
}

TEST_P(Planted, a_cache_that_nobody_knows_of_is_seen_by_the_database) {
  Scenario scenario = short_one(GetParam(), workload::Kind::pricing);
  scenario.workload.plant.hidden_cache = true;
  const Report report = finished(scenario);
  ASSERT_TRUE(report.database_reads.has_value());
  EXPECT_LT(static_cast<std::uint64_t>(*report.database_reads), report.database_reads_expected);
  EXPECT_EQ(report.ledger.ok, report.ledger.scheduled) << "the answers are right";
}

TEST_P(Planted, a_constant_answer_is_a_wrong_one) {
  Scenario scenario = short_one(GetParam(), workload::Kind::pricing);
  scenario.workload.plant.constant_price = 1;
  const Report report = finished(scenario);
  EXPECT_EQ(failures(report, ErrorCode::wrong_answer), report.ledger.scheduled);
  EXPECT_EQ(report.answers_checked, report.ledger.scheduled);
}

TEST_P(Planted, a_slow_acceptor_leaves_connections_waiting) {
  Scenario scenario = short_one(GetParam(), workload::Kind::noop);
  scenario.planted_accept_delay = 2 * kMillisecond;
  scenario.planted_backlog = 64;
  const Report report = served(scenario);
  ASSERT_GT(report.ledger.ok, 0U);
  EXPECT_GT(*report.accept_queue_mean, 1.0);
  EXPECT_GT(report.http->reconnects, 0U) << "each connection serves one request";
  EXPECT_GE(*report.accept_overflows, 0);
  EXPECT_EQ(report.answers_checked, report.ledger.ok);
}

INSTANTIATE_TEST_SUITE_P(Models, Planted,
                         ::testing::Values(ModelKind::thread_pool, ModelKind::virtual_threads, ModelKind::reactive),
                         [](const auto& which) { return testing::name_of(which.param); });

}  // namespace
}  // namespace parkbench::run
