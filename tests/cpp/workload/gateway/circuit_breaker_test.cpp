#include "parkbench/workload/gateway/circuit_breaker.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "parkbench/workload/gateway/token_bucket.hpp"

namespace parkbench::workload::gateway {
namespace {

using Breaker = CircuitBreaker;
using Verdict = Breaker::Verdict;

void calls(Breaker& breaker, int count, Verdict verdict, Ns now) {
  for (int i = 0; i < count; ++i) {
    const auto ticket = breaker.admit(now);
    ASSERT_TRUE(ticket);
    breaker.report(*ticket, verdict, now);
  }
}

TEST(CircuitBreaker, opens_when_half_of_twenty_have_failed) {
  Breaker breaker;
  calls(breaker, 10, Verdict::good, 0);
  calls(breaker, 9, Verdict::bad, 0);
  EXPECT_EQ(breaker.state(), Breaker::State::closed);
  calls(breaker, 1, Verdict::bad, 0);
  EXPECT_EQ(breaker.state(), Breaker::State::open);
  EXPECT_FALSE(breaker.admit(Breaker::kOpenFor - 1));
}

TEST(CircuitBreaker, forgets_all_but_the_last_hundred) {
  Breaker breaker;
  calls(breaker, 1000, Verdict::good, 0);
  calls(breaker, 49, Verdict::bad, 0);
  EXPECT_EQ(breaker.state(), Breaker::State::closed);
  calls(breaker, 100, Verdict::good, 0);  // pushes the bad ones out
  calls(breaker, 49, Verdict::bad, 0);
  EXPECT_EQ(breaker.state(), Breaker::State::closed);
  calls(breaker, 1, Verdict::bad, 0);
  EXPECT_EQ(breaker.state(), Breaker::State::open);
}

class HalfOpen : public ::testing::Test {
 protected:
  HalfOpen() {
    calls(breaker, 20, Verdict::bad, 0);
    for (std::uint32_t i = 0; i < Breaker::kTrials; ++i) tickets.push_back(*breaker.admit(later));
  }
  Breaker breaker;
  const Ns later = Breaker::kOpenFor;
  std::vector<Breaker::Ticket> tickets;
};

TEST_F(HalfOpen, lets_ten_through_and_closes_when_they_do_well) {
  EXPECT_EQ(breaker.state(), Breaker::State::half_open);
  EXPECT_FALSE(breaker.admit(later));
  for (const auto ticket : tickets) breaker.report(ticket, Verdict::good, later);
  EXPECT_EQ(breaker.state(), Breaker::State::closed);
}

TEST_F(HalfOpen, opens_again_when_half_of_them_fail) {
  for (std::size_t i = 0; i < tickets.size(); ++i)
    breaker.report(tickets[i], i % 2 ? Verdict::good : Verdict::bad, later);
  EXPECT_EQ(breaker.state(), Breaker::State::open);
  EXPECT_FALSE(breaker.admit(later + Breaker::kOpenFor - 1));
  EXPECT_TRUE(breaker.admit(later + Breaker::kOpenFor));
}

TEST_F(HalfOpen, a_call_given_up_makes_room_for_another) {
  breaker.report(tickets[0], Verdict::unknown, later);
  EXPECT_TRUE(breaker.admit(later));
  EXPECT_FALSE(breaker.admit(later));
}

TEST(CircuitBreaker, what_began_in_an_earlier_period_does_not_count) {
  Breaker breaker;
  const auto slow = *breaker.admit(0);
  calls(breaker, 20, Verdict::bad, 0);
  const auto trial = *breaker.admit(Breaker::kOpenFor);
  for (int i = 0; i < 20; ++i) breaker.report(slow, Verdict::bad, Breaker::kOpenFor);
  EXPECT_EQ(breaker.state(), Breaker::State::half_open);
  breaker.report(trial, Verdict::good, Breaker::kOpenFor);
}

TEST(TokenBucket, lets_a_burst_through_and_then_the_rate) {
  TokenBucket bucket(100);  // a tenth of a second's worth: 10
  const Ns start = kSecond;
  int taken = 0;
  while (bucket.take(start)) ++taken;
  EXPECT_EQ(taken, 10);
  EXPECT_FALSE(bucket.take(start + 9 * kMillisecond));
  EXPECT_TRUE(bucket.take(start + 10 * kMillisecond));
  EXPECT_FALSE(bucket.take(start + 10 * kMillisecond));
}

TEST(TokenBucket, keeps_no_more_than_its_depth_however_long_nobody_came) {
  TokenBucket bucket(100);
  int taken = 0;
  while (bucket.take(1000 * kSecond)) ++taken;
  EXPECT_EQ(taken, 10);
}

TEST(TokenBucket, slow_ones_let_one_through_at_a_time) {
  TokenBucket bucket(0.5);
  EXPECT_TRUE(bucket.take(kSecond));
  EXPECT_FALSE(bucket.take(2 * kSecond));
  EXPECT_TRUE(bucket.take(3 * kSecond));
}

TEST(TokenBucket, without_a_rate_lets_all_through) {
  TokenBucket bucket(0);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(bucket.take(0));
}

}  // namespace
}  // namespace parkbench::workload::gateway
