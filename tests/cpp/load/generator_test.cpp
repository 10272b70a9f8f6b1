#include "parkbench/load/generator.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "load/simulated.hpp"

namespace parkbench::load {
namespace {

using measure::Outcome;
using measure::Phase;
using measure::Request;
using testing::Simulated;

double seconds(const LoadResult& r) { return static_cast<double>(r.closed - r.opened) / static_cast<double>(kSecond); }

TEST(Generator, closed_load_obeys_littles_law_exactly) {
  Simulated sim({.users = 20, .duration = 2 * kSecond});
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_TRUE(sim.opened && sim.closed);
  EXPECT_DOUBLE_EQ(seconds(r), 2.0);
  EXPECT_EQ(r.ledger.scheduled, 4'000U);
  EXPECT_EQ(r.ledger.ok, 4'000U);
  EXPECT_TRUE(r.ledger.balances());
  EXPECT_EQ(r.response.mean(), 10.0 * kMillisecond);
  EXPECT_NEAR(r.in_flight_integral / seconds(r), 20.0, 0.01);
  EXPECT_FALSE(r.too_short);
}

TEST(Generator, the_window_grows_until_it_carries_its_figures) {
  Simulated sim({.users = 2, .duration = kSecond});  // 200 answers per second: 1,000 need 5 s
  sim.run();
  EXPECT_NEAR(seconds(sim.generator.result()), 5.0, 0.02);
  Simulated slow({.users = 500, .duration = kSecond});
  slow.delay_of = [](Request&) { return kSecond; };  // 10 mean response times
  slow.run();
  EXPECT_NEAR(seconds(slow.generator.result()), 10.0, 1.01);
}

TEST(Generator, a_window_that_never_carries_its_figures_is_marked) {
  Simulated sim({.users = 1, .duration = kSecond, .max_duration = 3 * kSecond});
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_TRUE(r.too_short);
  EXPECT_NEAR(seconds(r), 3.0, 0.02);
  EXPECT_TRUE(r.ledger.balances());
}

TEST(Generator, warm_up_lasts_until_each_user_has_finished_once) {
  Simulated sim({.users = 2, .warm_up = kSecond / 2, .duration = kSecond});
  sim.delay_of = [&](Request& q) { return q.number == 0 ? 4 * kSecond : 10 * kMillisecond; };
  sim.run();
  EXPECT_EQ(sim.generator.result().opened, kSecond + 4 * kSecond);
  Simulated stuck({.users = 2, .warm_up = kSecond / 2, .duration = kSecond});
  stuck.delay_of = [&](Request& q) { return q.number == 0 ? 60 * kSecond : 10 * kMillisecond; };
  stuck.run();
  EXPECT_EQ(stuck.generator.result().opened, kSecond + 10 * kSecond);
}

TEST(Generator, think_time_lowers_the_rate_and_not_the_response) {
  Simulated sim({.users = 10, .arrivals = {.think = 90 * kMillisecond}, .duration = 20 * kSecond});
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_NEAR(static_cast<double>(r.ledger.ok), 2'000.0, 10.0);
  EXPECT_EQ(r.response.mean(), 10.0 * kMillisecond);
}

TEST(Generator, a_request_count_is_exact) {
  Simulated sim({.users = 7, .requests_per_user = 13});
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_EQ(r.ledger.scheduled, 91U);
  EXPECT_EQ(r.ledger.ok, 91U);
  EXPECT_FALSE(r.too_short);
}

TEST(Generator, a_request_count_that_takes_longer_than_any_window_is_waited_for_asleep) {
  Simulated sim(
      {.users = 1, .warm_up = 0, .duration = kMillisecond, .max_duration = 2 * kMillisecond, .requests_per_user = 1});
  int counted = 0;
  sim.delay_of = [&](Request& q) { return q.counted && counted++ == 0 ? kSecond : kMillisecond / 4; };
  sim.run();  // it would wait for nothing, for ever, if the end of the window were looked for again and again
  EXPECT_EQ(sim.generator.result().ledger.ok, 1U);
  EXPECT_EQ(sim.generator.result().response.max(), kSecond);
}

TEST(Generator, rounds_are_whole_and_pauses_belong_to_the_window) {
  Simulated sim({.users = 100,
                 .arrivals = {.kind = Arrivals::Kind::rounds, .pause = 90 * kMillisecond},
                 .duration = 3 * kSecond});
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_EQ(r.rounds, 30U);
  EXPECT_EQ(r.ledger.scheduled, 3'000U);
  EXPECT_DOUBLE_EQ(seconds(r), 3.0);
  EXPECT_NEAR(r.in_flight_integral / seconds(r), 10.0, 0.01);  // 100 users, a tenth of the time
}

TEST(Generator, rounds_by_the_clock_overlap_when_answers_are_slow) {
  Simulated sim({.users = 100,
                 .arrivals = {.kind = Arrivals::Kind::rounds, .every = 100 * kMillisecond},
                 .duration = 3 * kSecond});
  sim.delay_of = [](Request&) { return 250 * kMillisecond; };
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_EQ(r.ledger.scheduled, 100U * r.rounds);
  EXPECT_TRUE(r.ledger.balances());
  EXPECT_NEAR(r.in_flight_integral / seconds(r), 250.0, 1.0);
}

TEST(Generator, a_request_never_answered_times_out_and_its_user_goes_on) {
  Simulated sim({.users = 4, .duration = 12 * kSecond, .timeout = 2 * kSecond});
  std::uint64_t lost = 0;
  sim.delay_of = [&](Request& q) {
    if (q.counted && q.user == 3 && lost == 0) {
      ++lost;
      return Ns{-1};
    }
    return 10 * kMillisecond;
  };
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_EQ(r.ledger.timed_out, 1U);
  EXPECT_EQ(r.ledger.failures[static_cast<std::size_t>(ErrorCode::timeout)], 1U);
  EXPECT_EQ(r.abandoned, 1U);
  EXPECT_TRUE(r.ledger.balances());
  EXPECT_NEAR(static_cast<double>(r.ledger.ok), 4 * 1'200 - 200, 5);
}

TEST(Generator, an_answer_after_the_time_out_is_late_and_counted_once) {
  Simulated sim({.users = 4, .duration = 12 * kSecond, .timeout = 2 * kSecond});
  bool once = false;
  sim.delay_of = [&](Request& q) {
    if (!q.counted || once) return 10 * kMillisecond;
    once = true;
    return 3 * kSecond;
  };
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_EQ(r.ledger.timed_out, 1U);
  EXPECT_EQ(r.late_answers, 1U);
  EXPECT_EQ(r.abandoned, 0U);
  EXPECT_EQ(r.answers, r.ledger.ok + r.late_answers);
}

TEST(Generator, failures_stay_out_of_the_response_times) {
  Simulated sim({.users = 10});
  sim.delay_of = [](Request& q) {
    if (q.number % 2 == 0) {
      q.fail(ErrorCode::rejected);
      return kMillisecond;
    }
    return 10 * kMillisecond;
  };
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_GT(r.ledger.rejected, 0U);
  EXPECT_EQ(r.ledger.rejected, r.ledger.failures[static_cast<std::size_t>(ErrorCode::rejected)]);
  EXPECT_EQ(r.response.min(), 10 * kMillisecond);
  EXPECT_EQ(r.failed_response.max(), kMillisecond);
}

TEST(Generator, a_wrong_price_is_a_failure) {
  Simulated sim({.users = 1, .requests_per_user = 100, .products = 2}, {500, 700});
  sim.answer_of = [](Request& q) { return q.product == 1 ? 500 : 701; };
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_GT(r.ledger.failed, 0U);
  EXPECT_EQ(r.ledger.failed, r.ledger.failures[static_cast<std::size_t>(ErrorCode::wrong_answer)]);
  EXPECT_EQ(r.ledger.ok + r.ledger.failed, 100U);
}

TEST(Generator, a_server_that_stops_for_two_seconds_is_seen_by_all_who_were_due) {
  // 1,000/s over 10 connections for 20 s; the server stands still from the 6th to the 8th second, else it takes 1 ms.
  // Who is due x s into the stop waits until its end and then for the 1,000 x before it, 10,000/s: 2 - 0.9 x s. The
  // slowest hundredth, 200 of 20,000, are those due in the first 0.2 s: the p99 is 1.82 s (and 1 ms).
  constexpr Ns kStop = 7 * kSecond, kGoesOn = 9 * kSecond;
  Simulated sim({.users = 10,
                 .arrivals = {.kind = Arrivals::Kind::constant, .rate = 1'000},
                 .warm_up = 0,
                 .duration = 20 * kSecond});
  sim.delay_of = [&](Request&) {
    const Ns now = sim.clock.now();
    return (now + kMillisecond > kStop && now < kGoesOn ? kGoesOn - now : 0) + kMillisecond;
  };
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_EQ(r.ledger.ok, 20'000U);
  EXPECT_TRUE(r.ledger.balances());
  const auto p99 = static_cast<double>(r.response.quantile(0.99));
  EXPECT_NEAR(p99, 1.821 * kSecond, 0.02 * 1.821 * kSecond);
  EXPECT_LT(static_cast<double>(r.from_send.quantile(0.99)), p99 / 10) << "from the send time the stop is hidden";
}

TEST(Generator, a_stall_of_the_system_is_seen_by_every_user) {
  // Coordinated omission: 10 users, 1 ms answers, nothing answered from 4 s to 6 s of the window.
  Simulated sim({.users = 10, .duration = 10 * kSecond});
  sim.delay_of = [&](Request&) {
    const Ns at = sim.clock.now() - sim.generator.result().opened;
    const bool stalled = sim.opened && at >= 4 * kSecond && at < 6 * kSecond;
    return stalled ? 6 * kSecond - at + kMillisecond : kMillisecond;
  };
  sim.run();
  EXPECT_NEAR(static_cast<double>(sim.generator.result().response.max()), 2.0 * kSecond, 5.0 * kMillisecond);
}

TEST(Generator, being_held_back_is_the_clients_wait_and_not_lateness) {
  Simulated sim({.users = 200, .arrivals = {.kind = Arrivals::Kind::rounds}, .requests_per_user = 20});
  sim.hold_back = kMillisecond;
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_GT(r.phases[static_cast<std::size_t>(Phase::client_wait)], 0);
  EXPECT_EQ(r.lateness.max(), 0);
}

TEST(Generator, a_constant_rate_is_offered_whatever_the_answers_take) {
  Simulated sim({.users = 1'000, .arrivals = {.kind = Arrivals::Kind::constant, .rate = 500}, .duration = 4 * kSecond});
  sim.delay_of = [](Request& q) { return q.number % 2 == 0 ? kMillisecond : 300 * kMillisecond; };
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_NEAR(static_cast<double>(r.ledger.scheduled) / seconds(r), 500.0, 1.0);
  EXPECT_EQ(r.ledger.ok, r.ledger.scheduled);
  EXPECT_EQ(r.lateness.max(), 0);
  EXPECT_EQ(r.phases[static_cast<std::size_t>(Phase::client_wait)], 0);
  EXPECT_NEAR(r.in_flight_integral / seconds(r), 500 * r.response.mean() / kSecond, 1.0);
}

TEST(Generator, poisson_arrivals_come_at_their_rate_and_the_same_with_the_same_seed) {
  const auto dues = [](std::uint64_t seed) {
    std::vector<Ns> seen;
    Simulated sim({.users = 1'000,
                   .arrivals = {.kind = Arrivals::Kind::poisson, .rate = 1'000},
                   .duration = 10 * kSecond,
                   .seed = seed});
    sim.delay_of = [&](Request& q) {
      seen.push_back(q.due);
      return kMillisecond;
    };
    sim.run();
    EXPECT_NEAR(static_cast<double>(sim.generator.result().ledger.scheduled), 10'000.0, 400.0);  // 4 sigma
    return seen;
  };
  const auto first = dues(3);
  EXPECT_EQ(first, dues(3));
  EXPECT_NE(first, dues(4));
}

TEST(Generator, an_overloaded_open_system_keeps_requests_waiting_from_their_due_time) {
  // Two at a time, 10 ms each: 200/s of 400/s. What is due waits for a free user, and that is part of its time.
  Simulated sim({.users = 2,
                 .arrivals = {.kind = Arrivals::Kind::constant, .rate = 400},
                 .warm_up = 0,
                 .duration = 5 * kSecond,
                 .max_duration = 5 * kSecond});
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_TRUE(r.ledger.balances());
  EXPECT_EQ(r.ledger.unsent, 0U);
  EXPECT_EQ(r.ledger.ok, r.ledger.scheduled);
  const auto waited = static_cast<double>(r.phases[static_cast<std::size_t>(Phase::client_wait)]);
  EXPECT_NEAR(waited / static_cast<double>(r.ledger.ok), r.response.mean() - 10 * kMillisecond, 1.0);
  EXPECT_EQ(r.lateness.max(), 0);
  EXPECT_GT(r.in_flight_integral / seconds(r), 100.0) << "who waits is in flight";
}

TEST(Generator, a_request_of_an_open_load_that_nobody_could_send_times_out) {
  Simulated sim({.users = 1,
                 .arrivals = {.kind = Arrivals::Kind::constant, .rate = 1'000},
                 .warm_up = 0,
                 .duration = 3 * kSecond,
                 .max_duration = 3 * kSecond,
                 .timeout = kSecond});
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_TRUE(r.ledger.balances());
  EXPECT_EQ(r.ledger.scheduled, 3'000U);
  EXPECT_GT(r.ledger.timed_out, 1'000U);
  EXPECT_LT(r.abandoned, 100U) << "most were never sent";
  EXPECT_EQ(r.failed_response.min(), kSecond);
}

TEST(Generator, a_cancelled_open_load_says_what_was_due_and_not_sent) {
  Simulated sim({.users = 1, .arrivals = {.kind = Arrivals::Kind::constant, .rate = 1'000}, .duration = 10 * kSecond});
  sim.stop_at = 4 * kSecond;
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_TRUE(r.ledger.balances());
  EXPECT_GT(r.ledger.unsent, 0U);
  EXPECT_EQ(r.ledger.scheduled, static_cast<std::uint64_t>(seconds(r) * 1'000));
}

TEST(Generator, cancelling_keeps_the_books) {
  Simulated sim({.users = 100, .duration = 10 * kSecond});
  sim.stop_at = 3 * kSecond;
  sim.delay_of = [](Request&) { return 5 * kMillisecond; };
  sim.run();
  const auto& r = sim.generator.result();
  EXPECT_TRUE(r.cancelled);
  EXPECT_TRUE(r.ledger.balances());
  EXPECT_GT(r.ledger.ok, 0U);
  EXPECT_LE(sim.clock.now(), 3 * kSecond + kSecond + kMillisecond);
}

TEST(Generator, a_planted_burn_costs_the_generator_cpu_time_for_each_send) {
  Simulated sim({.users = 4, .requests_per_user = 10, .planted_burn = 100 * kMicrosecond});
  const Ns before = thread_cpu_time();
  sim.run();
  const auto sent = static_cast<Ns>(sim.submitted);
  EXPECT_GE(sent, 40);
  EXPECT_GE(thread_cpu_time() - before, sent * 100 * kMicrosecond);
}

TEST(Generator, counts_the_answers_that_it_has_compared) {
  Simulated priced({.users = 1, .requests_per_user = 100, .products = 2}, {500, 700});
  priced.answer_of = [](Request& q) { return q.product == 1 ? 500 : 701; };
  priced.run();
  EXPECT_EQ(priced.generator.result().checked, 100U) << "well or not";
  Simulated plain({.users = 1, .requests_per_user = 100});
  plain.run();
  EXPECT_EQ(plain.generator.result().checked, 0U);
}

TEST(Generator, the_same_seed_asks_for_the_same_products) {
  const auto products = [](std::uint64_t seed) {
    std::vector<std::uint32_t> seen;
    Simulated sim({.users = 3, .requests_per_user = 50, .seed = seed, .products = 1'000});
    sim.delay_of = [&](Request& q) {
      seen.push_back(q.product);
      return kMillisecond;
    };
    sim.run();
    return seen;
  };
  EXPECT_EQ(products(7), products(7));
  EXPECT_NE(products(7), products(8));
}

}  // namespace
}  // namespace parkbench::load
