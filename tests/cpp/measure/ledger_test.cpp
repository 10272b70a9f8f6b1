#include "parkbench/measure/ledger.hpp"

#include <gtest/gtest.h>

namespace parkbench::measure {
namespace {

TEST(Ledger, balances_only_when_every_request_has_one_outcome) {
  Ledger ledger;
  ledger.scheduled = 5;
  ledger.add(Outcome::ok, ErrorCode::none);
  ledger.add(Outcome::rejected, ErrorCode::rejected);
  ledger.add(Outcome::timed_out, ErrorCode::timeout);
  ledger.add(Outcome::failed, ErrorCode::cancelled);
  EXPECT_FALSE(ledger.balances());
  ledger.in_flight_at_end = 1;
  EXPECT_TRUE(ledger.balances());
  EXPECT_EQ(ledger.failures[static_cast<std::size_t>(ErrorCode::cancelled)], 1U);
  EXPECT_EQ(ledger.failures[static_cast<std::size_t>(ErrorCode::none)], 0U);
}

TEST(Request, a_failure_becomes_the_outcome_its_cause_says) {
  Request request;
  request.fail(ErrorCode::rejected);
  EXPECT_EQ(request.outcome, Outcome::rejected);
  request.fail(ErrorCode::timeout);
  EXPECT_EQ(request.outcome, Outcome::timed_out);
  request.fail(ErrorCode::pool_timeout);
  EXPECT_EQ(request.outcome, Outcome::failed);
}

}  // namespace
}  // namespace parkbench::measure
