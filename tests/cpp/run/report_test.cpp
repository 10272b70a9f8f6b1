#include "parkbench/run/report.hpp"

#include <gtest/gtest.h>

namespace parkbench::run {
namespace {

using measure::Phase;

measure::LatencyHistogram of(std::uint64_t count, Ns value) {
  measure::LatencyHistogram h;
  for (std::uint64_t i = 0; i < count; ++i) h.record(value);
  return h;
}

TEST(Report, prints_a_quantile_only_with_ten_samples_beyond_it) {
  EXPECT_FALSE(times_of(of(19, kMillisecond)).p50_ms);
  EXPECT_TRUE(times_of(of(20, kMillisecond)).p50_ms);
  EXPECT_FALSE(times_of(of(99, kMillisecond)).p90_ms);
  EXPECT_TRUE(times_of(of(100, kMillisecond)).p90_ms);
  EXPECT_FALSE(times_of(of(999, kMillisecond)).p99_ms);
  EXPECT_TRUE(times_of(of(1'000, kMillisecond)).p99_ms);
  EXPECT_FALSE(times_of(of(0, 0)).mean_ms);
  EXPECT_NEAR(*times_of(of(20, kMillisecond)).mean_ms, 1.0, 1e-9);
}

/// A window of two seconds with 1,000 ok requests of 3 ms, of which 2.5 ms are explained.
class ReportOfAWindow : public ::testing::Test {
 protected:
  ReportOfAWindow() : load_(1) {
    load_.opened = 10 * kSecond;
    load_.closed = 12 * kSecond;
    load_.ledger.scheduled = 1'001;
    load_.ledger.ok = 1'000;
    load_.ledger.rejected = 1;
    measure::PhaseTrace trace;
    trace.add(Phase::database, 0, 2 * kMillisecond);
    trace.add(Phase::cpu, 0, kMillisecond / 2);
    for (int i = 0; i < 1'000; ++i) {
      load_.response.record(3 * kMillisecond);
      load_.from_send.record(3 * kMillisecond);
      load_.samples.add(3 * kMillisecond, trace);
    }
    load_.timed = 1'000;
    load_.timed_from_send = 3 * kSecond;
    load_.phases[static_cast<std::size_t>(Phase::database)] = 2 * kSecond;
    load_.phases[static_cast<std::size_t>(Phase::cpu)] = kSecond / 2;
    opened_.at = load_.opened;
    closed_.at = load_.closed;
    opened_.process.cpu = kSecond;
    closed_.process.cpu = 4 * kSecond;
    opened_.generator.cpu = 0;
    closed_.generator.cpu = kSecond;
    closed_.sampler.cpu = kSecond / 10;
    closed_.process.context_switches = 500;
    closed_.generator.context_switches = 100;
    closed_.host = {.busy = 300, .total = 400, .steal = 4};
    look(opened_, 4);
    look(closed_, 8);
  }
  static void look(Edge& edge, std::int64_t blocked) {
    edge.sample.at = edge.at;
    edge.sample.model.threads = {0, 2, blocked, 1, 0, 0};
    edge.sample.process.threads = 20;
    edge.sample.process.resident_bytes = 64 << 20;
  }
  Report make() {
    return make_report({.load = load_,
                        .opened = opened_,
                        .closed = closed_,
                        .looks = looks_,
                        .full = full_,
                        .model_at_end = {},
                        .harness_threads = 3,
                        .rss_baseline = 32 << 20,
                        .generator_cpu = kSecond});
  }
  load::LoadResult load_;
  Edge opened_;
  Edge closed_;
  std::vector<Sample> looks_;
  std::vector<Sample> full_;
};

TEST_F(ReportOfAWindow, divides_by_the_windows_real_length) {
  const Report report = make();
  EXPECT_DOUBLE_EQ(report.duration_s, 2.0);
  EXPECT_DOUBLE_EQ(report.throughput_rps, 500.0);
  EXPECT_DOUBLE_EQ(report.offered_rps, 500.5);
}

TEST_F(ReportOfAWindow, what_no_phase_holds_is_unexplained) {
  const Report report = make();
  EXPECT_NEAR(report.phases_ms[static_cast<std::size_t>(Phase::database)], 2.0, 1e-9);
  EXPECT_NEAR(report.phases_ms[static_cast<std::size_t>(Phase::unexplained)], 0.5, 1e-9);
  EXPECT_NEAR(report.slowest_phases_ms[static_cast<std::size_t>(Phase::cpu)], 0.5, 1e-9);
}

TEST_F(ReportOfAWindow, phases_of_a_sample_are_carried_over_to_all) {
  // One request in ten told its phases; these were twice as fast as the mean of all.
  load_.timed = 100;
  load_.timed_from_send = 100 * (3 * kMillisecond / 2);
  load_.phases.fill(0);
  load_.phases[static_cast<std::size_t>(Phase::network)] = 100 * (kMillisecond / 2);
  load_.phases[static_cast<std::size_t>(Phase::app_wait)] = 100 * kMillisecond;
  const Report report = make();
  EXPECT_NEAR(report.phases_ms[static_cast<std::size_t>(Phase::network)], 1.0, 1e-9);
  EXPECT_NEAR(report.phases_ms[static_cast<std::size_t>(Phase::app_wait)], 2.0, 1e-9);
  EXPECT_NEAR(report.phases_ms[static_cast<std::size_t>(Phase::unexplained)], 0.0, 1e-9);
  EXPECT_EQ(report.phases_of, 100U);
}

TEST_F(ReportOfAWindow, takes_the_harness_off) {
  const Report report = make();
  EXPECT_NEAR(report.cpu_s, 1.9, 1e-9);
  EXPECT_EQ(report.context_switches, 400U);
  EXPECT_EQ(report.threads_peak, 17);
  EXPECT_NEAR(report.generator_cpu_share, 0.5, 1e-9);
  EXPECT_NEAR(report.host_cpu_share, 0.75, 1e-9);
  EXPECT_NEAR(report.host_steal_share, 0.01, 1e-9);
}

TEST_F(ReportOfAWindow, samples_outside_the_window_do_not_count) {
  Sample before;
  before.at = 9 * kSecond;
  before.model.threads = {0, 0, 100, 0, 0, 0};
  Sample inside;
  inside.at = 11 * kSecond;
  inside.model.threads = {0, 0, 6, 0, 0, 0};
  looks_ = {before, inside};
  const Report report = make();
  EXPECT_NEAR(report.threads_blocked_mean, (5.0 + 6.0 + 9.0) / 3, 1e-9);
  EXPECT_NEAR(report.threads_blocked_max, 9.0, 1e-9);
}

TEST_F(ReportOfAWindow, sums_at_the_edges_become_means_of_the_window) {
  Sample& opened = opened_.sample;
  Sample& closed = closed_.sample;
  opened.pool = {.released = 100, .held = kSecond};
  closed.pool = {.released = 300, .held = 3 * kSecond, .results_stamped = 90, .results_told = 10};
  opened.model.loop_looks = 10;
  closed.model.loop_looks = 30;
  closed.model.loop_lag_sum = 40 * kMillisecond;
  closed.model.loop_lag_most = 7 * kMillisecond;
  opened.model.pinned = {0, 5 * kMillisecond, 0, 0};
  closed.model.pinned = {kMillisecond, 9 * kMillisecond, 2 * kMillisecond, 0};
  const Report report = make();
  EXPECT_NEAR(*report.connection_hold_mean_ms, 10.0, 1e-9);
  EXPECT_NEAR(report.results_stamped_share, 0.9, 1e-9);
  EXPECT_NEAR(*report.loop_lag_mean_ms, 2.0, 1e-9);
  EXPECT_NEAR(*report.loop_lag_max_ms, 7.0, 1e-9);
  EXPECT_NEAR(report.pinned_ms, 7.0, 1e-9);
  EXPECT_EQ(report.pinned_by, "file_read");
}

TEST_F(ReportOfAWindow, what_was_not_there_stays_empty) {
  const Report report = make();
  EXPECT_FALSE(report.connection_hold_mean_ms.has_value());
  EXPECT_FALSE(report.loop_lag_mean_ms.has_value());
  EXPECT_FALSE(report.accept_overflows.has_value());
  EXPECT_FALSE(report.accept_queue_mean.has_value());
  EXPECT_EQ(report.pinned_by, "");
  EXPECT_FALSE(report.failed.mean_ms.has_value());
}

TEST_F(ReportOfAWindow, a_servers_accept_queue_is_looked_at) {
  opened_.listen_overflows = 5;
  closed_.listen_overflows = 8;
  opened_.sample.accept_queue = 2;
  closed_.sample.accept_queue = 4;
  opened_.process.involuntary_switches = 10;
  closed_.process.involuntary_switches = 100;
  closed_.generator.involuntary_switches = 30;
  closed_.process.major_faults = 2;
  const Report report = make();
  EXPECT_EQ(report.accept_overflows, 3);
  EXPECT_NEAR(*report.accept_queue_mean, 3.0, 1e-9);
  EXPECT_EQ(report.involuntary_switches, 60U);
  EXPECT_EQ(report.major_faults, 2U);
}

TEST_F(ReportOfAWindow, failed_requests_are_shown_apart) {
  load_.failed_response.record(40 * kMillisecond);
  const Report report = make();
  EXPECT_EQ(report.failed.count, 1U);
  EXPECT_NEAR(*report.failed.mean_ms, 40.0, 1e-9);
  EXPECT_FALSE(report.failed.p50_ms.has_value()) << "one sample carries no quantile";
  EXPECT_NEAR(*report.response.min_ms, 3.0, 1e-9);
}

}  // namespace
}  // namespace parkbench::run
