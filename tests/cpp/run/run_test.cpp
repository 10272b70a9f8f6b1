#include "parkbench/run/run.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "parkbench/postgres/session.hpp"
#include "run/scenarios.hpp"

namespace parkbench::run {
namespace {

using measure::Phase;
using testing::quick;

Report finished(const Scenario& scenario) {
  run::Run run(scenario);
  while (!run.wait(kSecond)) {
  }
  return run.report();
}

class EveryModelRuns : public ::testing::TestWithParam<ModelKind> {};

TEST_P(EveryModelRuns, and_its_figures_agree_with_each_other) {
  for (const auto kind : {workload::Kind::noop, workload::Kind::sleep, workload::Kind::pricing}) {
    const Report report = finished(quick(GetParam(), kind));
    ASSERT_EQ(report.status, "ok");
    EXPECT_TRUE(report.ledger.balances());
    EXPECT_EQ(report.ledger.ok, report.ledger.scheduled);
    EXPECT_EQ(static_cast<std::uint64_t>(report.answers_model), report.answers_received);
    const double sum = std::accumulate(report.phases_ms.begin(), report.phases_ms.end(), 0.0);
    EXPECT_NEAR(sum, *report.response.mean_ms, 1e-6 * *report.response.mean_ms + 1e-9);
    EXPECT_EQ(report.threads_peak, GetParam() == ModelKind::thread_pool ? 20 : 2);
    const double threads = std::accumulate(report.threads_by_state.begin(), report.threads_by_state.end(), 0.0);
    EXPECT_NEAR(threads, GetParam() == ModelKind::thread_pool ? 20 : 2, 1e-9);
    EXPECT_GT(report.rss_baseline_mib, 0);
    EXPECT_FALSE(report.timeline.empty());
    if (kind == workload::Kind::pricing) {
      ASSERT_TRUE(report.database_reads.has_value());
      EXPECT_EQ(static_cast<std::uint64_t>(*report.database_reads), report.database_reads_expected);
    }
  }
}

TEST_P(EveryModelRuns, a_planted_gap_shows_as_unexplained) {
  Scenario scenario = quick(GetParam(), workload::Kind::pricing);
  scenario.workload.connections = 20;
  scenario.workload.plant.gap = 2 * kMillisecond;
  const Report report = finished(scenario);
  const double unexplained = report.phases_ms[static_cast<std::size_t>(Phase::unexplained)];
  EXPECT_GE(unexplained, 2.0);
}

TEST_P(EveryModelRuns, a_dropped_answer_is_missed_by_the_books) {
  Scenario scenario = quick(GetParam(), workload::Kind::sleep);
  scenario.load.timeout = 500 * kMillisecond;
  scenario.drop_answers = 1;
  const Report report = finished(scenario);
  // The generator calls it timed out, but the model says that it answered: the two accounts differ by one.
  EXPECT_EQ(report.ledger.timed_out, 1U);
  EXPECT_EQ(static_cast<std::uint64_t>(report.answers_model), report.answers_received + 1);
  EXPECT_EQ(report.abandoned, 1U);
}

TEST_P(EveryModelRuns, can_be_cancelled_at_once) {
  Scenario scenario = quick(GetParam(), workload::Kind::pricing);
  scenario.load.duration = 100 * kSecond;
  scenario.load.max_duration = 200 * kSecond;
  run::Run run(scenario);
  while (run.progress().ok < 10 && !run.wait(0)) sched_yield();
  run.cancel();
  while (!run.wait(kSecond)) {
  }
  EXPECT_EQ(run.report().status, "incomplete");
  EXPECT_TRUE(run.report().ledger.balances());
}

TEST_P(EveryModelRuns, a_database_that_goes_away_is_the_reason_given) {
  Scenario scenario = quick(GetParam(), workload::Kind::pricing);
  scenario.load.duration = 100 * kSecond;
  scenario.load.max_duration = 200 * kSecond;
  scenario.load.timeout = 2 * kSecond;
  run::Run run(scenario);
  while (run.progress().ok < 10 && !run.wait(0)) sched_yield();
  postgres::Session killer(postgres::Dsn::parse(scenario.workload.dsn));
  killer.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
      " AND application_name = 'parkbench' AND state IS NOT NULL");
  const auto at_kill = run.progress().ok;
  while (run.progress().ok < at_kill + 100 && !run.wait(0)) sched_yield();  // it goes on after the loss
  run.cancel();
  while (!run.wait(kSecond)) {
  }
  const auto lost = run.report().ledger.failures[static_cast<std::size_t>(ErrorCode::db_connection_lost)];
  EXPECT_LE(lost, 5U) << "more requests lost than there are connections";
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModelRuns,
                         ::testing::Values(ModelKind::thread_pool, ModelKind::virtual_threads, ModelKind::reactive),
                         [](const auto& which) { return testing::name_of(which.param); });

TEST(Run, a_wrong_database_is_named_and_nothing_hangs) {
  Scenario scenario = quick(ModelKind::thread_pool, workload::Kind::pricing);
  scenario.workload.dsn = "host=/nonexistent password=geheim";
  const Report report = finished(scenario);
  EXPECT_EQ(report.status.rfind("failed: db_connect", 0), 0U) << report.status;
  EXPECT_EQ(report.status.find("geheim"), std::string::npos);
}

TEST(Run, cancelling_before_the_load_begins_is_enough) {
  run::Run run(quick(ModelKind::virtual_threads, workload::Kind::pricing));
  run.cancel();
  while (!run.wait(kSecond)) {
  }
  EXPECT_EQ(run.report().status, "incomplete");
}

}  // namespace
}  // namespace parkbench::run
