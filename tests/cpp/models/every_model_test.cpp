#include "models/every_model.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "parkbench/postgres/await_connection.hpp"
#include "parkbench/postgres/session.hpp"
#include "workload/pricing_database.hpp"

namespace parkbench::models::testing {
namespace {

using measure::Outcome;
using measure::Phase;

workload::Options noop() {
  workload::Options options;
  options.kind = workload::Kind::noop;
  return options;
}

TEST_P(EveryModel, answers_every_request_exactly_once) {
  Setting s(GetParam(), noop());
  s.submit(20'000);
  s.collector.wait_for(20'000);
  const Counters counters = s.model->counters();
  EXPECT_EQ(s.collector.count(), 20'000U);
  EXPECT_EQ(counters.accepted_counted, 20'000);
  EXPECT_EQ(counters.answered_counted, 20'000);
  EXPECT_EQ(counters.held, 0);
  EXPECT_EQ(counters.queued, 0);
}

TEST_P(EveryModel, gives_the_right_price_for_every_product) {
  Setting s(GetParam(), workload::testing::pricing_options());
  s.submit(workload::testing::kProducts);
  s.collector.wait_for(workload::testing::kProducts);
  for (const auto& request : s.requests) {
    ASSERT_EQ(request.outcome, Outcome::ok) << to_string(request.error) << s.resources.errors.text(request.error);
    EXPECT_EQ(request.answer, workload::testing::expected_price(request.product));
  }
}

TEST_P(EveryModel, gives_the_same_prices_however_the_connection_is_held) {
  for (const auto hold : {workload::ConnectionHold::request, workload::ConnectionHold::transaction}) {
    for (const auto at : {workload::AppWaitAt::between, workload::AppWaitAt::after}) {
      auto options = workload::testing::pricing_options();
      options.connection_hold = hold;
      options.app_wait = kMillisecond;
      options.app_wait_at = at;
      options.query_delay = kMillisecond;
      options.cpu = 10 * kMicrosecond;
      options.alloc_kib = 8;
      Setting s(GetParam(), options);
      s.submit(40);
      s.collector.wait_for(40);
      for (const auto& request : s.requests) {
        ASSERT_EQ(request.outcome, Outcome::ok) << s.resources.errors.text(request.error);
        EXPECT_EQ(request.answer, workload::testing::expected_price(request.product));
        EXPECT_GE(request.trace.spent(Phase::app_wait), kMillisecond);
        EXPECT_GE(request.trace.spent(Phase::database), 2 * kMillisecond);
      }
      EXPECT_EQ(s.resources.pool->counters().in_use, 0);
    }
  }
}

TEST_P(EveryModel, phases_of_a_request_fill_its_time) {
  auto options = workload::testing::pricing_options();
  options.app_wait = 2 * kMillisecond;
  options.query_delay = kMillisecond;
  Setting s(GetParam(), options);
  s.submit(50);
  s.collector.wait_for(50);
  for (const auto& request : s.requests) {
    const auto& phases = request.trace.all();
    for (const Ns phase : phases) EXPECT_GE(phase, 0);
    EXPECT_EQ(std::accumulate(phases.begin(), phases.end(), Ns{0}), request.answer_ready - request.accepted);
  }
}

TEST_P(EveryModel, a_planted_gap_belongs_to_no_phase) {
  auto options = workload::testing::pricing_options();
  options.plant.gap = 2 * kMillisecond;
  Setting s(GetParam(), options);
  s.submit(50);
  s.collector.wait_for(50);
  for (const auto& request : s.requests) {
    const auto& phases = request.trace.all();
    const Ns explained = std::accumulate(phases.begin(), phases.end(), Ns{0});
    EXPECT_GE(request.answer_ready - request.accepted - explained, 2 * kMillisecond);
  }
}

TEST_P(EveryModel, refuses_what_exceeds_the_admission_limit_and_serves_again) {
  workload::Options options;
  options.kind = workload::Kind::sleep;
  options.sleep = 20 * kMillisecond;
  Setting s(GetParam(), options, 10);
  s.submit(50);
  s.collector.wait_for(50);
  const auto rejected =
      std::count_if(s.requests.begin(), s.requests.end(), [](const auto& r) { return r.outcome == Outcome::rejected; });
  EXPECT_EQ(rejected, 40);
  s.submit(5);
  s.collector.wait_for(55);
  EXPECT_EQ(s.requests.back().outcome, Outcome::ok);
}

TEST_P(EveryModel, a_request_past_its_time_is_not_begun) {
  Setting s(GetParam(), noop());
  s.patience = Deadline::at(0);
  s.submit(10);
  s.collector.wait_for(10);
  for (const auto& request : s.requests) EXPECT_EQ(request.outcome, Outcome::timed_out);
}

TEST_P(EveryModel, waiting_for_a_connection_ends_at_the_time_limit) {
  auto options = workload::testing::pricing_options();
  options.acquire_timeout = 20 * kMillisecond;
  Setting s(GetParam(), options);
  std::vector<postgres::Lease> all;
  io::ThreadStateCell cell;
  io::WaitGauge gauge;
  io::BlockingWaiter waiter(s.resources.clock, cell, gauge);
  measure::PhaseTrace trace;
  for (int i = 0; i < options.connections; ++i) {
    all.push_back(postgres::acquire(*s.resources.pool, waiter, Deadline::never(), trace));
  }
  s.submit(6);
  s.collector.wait_for(6);
  for (const auto& request : s.requests) {
    EXPECT_EQ(request.error, ErrorCode::pool_timeout);
    // The time runs from before the phase begins, so it is the request that lasts at least as long.
    EXPECT_GE(request.answer_ready - request.accepted, 20 * kMillisecond);
    EXPECT_GT(request.trace.spent(Phase::connection), 10 * kMillisecond);
  }
  all.clear();
  s.submit(6);
  s.collector.wait_for(12);
  EXPECT_EQ(s.requests.back().outcome, Outcome::ok);
}

TEST_P(EveryModel, closing_the_pool_cancels_those_in_line) {
  auto options = workload::testing::pricing_options();
  options.connections = 1;
  options.query_delay = 30 * kMillisecond;
  Setting s(GetParam(), options);
  s.submit(6);
  while (s.resources.pool->counters().waiting == 0) sched_yield();
  s.resources.pool->close();
  s.collector.wait_for(6);
  const auto cancelled = std::count_if(s.requests.begin(), s.requests.end(),
                                       [](const auto& r) { return r.error == ErrorCode::cancelled; });
  EXPECT_GE(cancelled, 1);
}

TEST_P(EveryModel, a_killed_backend_fails_its_query_and_the_next_request_is_served) {
  auto options = workload::testing::pricing_options();
  options.connections = 1;
  options.query_delay = 10 * kSecond;
  Setting s(GetParam(), options);
  s.submit(1);
  postgres::Session killer(postgres::Dsn::parse(options.dsn));
  while (
      killer.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'").empty()) {
    killer.execute("SELECT pg_sleep(0.01)");
  }
  s.collector.wait_for(1);
  EXPECT_EQ(s.requests.front().error, ErrorCode::db_connection_lost);
  EXPECT_EQ(s.resources.pool->counters().in_use, 0);
}

TEST_P(EveryModel, a_missing_product_is_a_failure_of_its_own) {
  auto options = workload::testing::pricing_options();
  options.products = workload::testing::kProducts + 1;
  Setting s(GetParam(), options);
  s.submit(options.products);
  s.collector.wait_for(options.products);
  EXPECT_EQ(s.requests.back().error, ErrorCode::not_found);
  EXPECT_EQ(s.requests.front().outcome, Outcome::ok);
}

TEST_P(EveryModel, a_dropped_answer_shows_in_the_books_only) {
  Setting s(GetParam(), noop());
  s.books.drop_answers(1);
  s.submit(100);
  s.collector.wait_for(99);
  while (s.model->counters().held != 0) sched_yield();
  EXPECT_EQ(s.model->counters().answered_counted, 100);
  EXPECT_EQ(s.collector.count(), 99U);
}

TEST_P(EveryModel, its_threads_add_up_and_have_kernel_ids) {
  workload::Options options;
  options.kind = workload::Kind::sleep;
  options.sleep = 50 * kMillisecond;
  Setting s(GetParam(), options);
  s.submit(4);
  const auto waiting = [&] { return s.model->counters().requests_waiting[2]; };
  while (waiting() != 4 && s.collector.count() == 0) sched_yield();
  const Counters counters = s.model->counters();
  const auto threads = std::accumulate(counters.threads.begin(), counters.threads.end(), std::int64_t{0});
  EXPECT_EQ(threads, GetParam() == "thread_pool" ? 8 : 2);
  const auto ids = [&] {
    const auto all = s.model->thread_ids();
    return std::set<int>(all.begin(), all.end());
  };
  while (ids().contains(0)) sched_yield();  // a worker that nobody needed yet has perhaps not begun
  EXPECT_EQ(ids().size(), static_cast<std::size_t>(threads));
  s.collector.wait_for(4);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, kModels, model_name);

}  // namespace
}  // namespace parkbench::models::testing
