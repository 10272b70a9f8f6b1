#include "parkbench/postgres/connection_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parkbench/postgres/lease.hpp"
#include "postgres/blocking_caller.hpp"
#include "postgres/test_server.hpp"

namespace parkbench::postgres {
namespace {

using ::testing::ElementsAre;

/// Waits in line and writes into a common log what it was told.
struct Waiting final : PoolWaiter {
  Waiting(char n, std::string& l) : name(n), log(l) {}
  void granted(Connection& c, Ns t) override {
    connection = &c;
    at = t;
    log += name;
  }
  void failed(const Error& e) override {
    error = e;
    log += '!';
  }
  char name;
  std::string& log;
  Connection* connection = nullptr;
  Ns at = 0;
  Error error;
};

class ConnectionPoolTest : public ::testing::Test {
 protected:
  ManualClock clock_{100};
  std::string log_;
  // The hand-over needs no server: connections are opened by their holders.
  ConnectionPool pool_{Dsn::parse("host=/nowhere/at/all user=u"), 2, {}, clock_};
  Waiting a_{'a', log_}, b_{'b', log_}, c_{'c', log_}, d_{'d', log_};
};

TEST_F(ConnectionPoolTest, HandsOutEveryConnectionOnceThenMakesALine) {
  Connection* const first = pool_.acquire_or_wait(a_, clock_.now());
  Connection* const second = pool_.acquire_or_wait(b_, clock_.now());
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first, second);
  EXPECT_EQ(pool_.acquire_or_wait(c_, clock_.now()), nullptr);
  PoolCounters now = pool_.counters();
  EXPECT_EQ(now.size, 2);
  EXPECT_EQ(now.in_use, 2);
  EXPECT_EQ(now.waiting, 1);
  clock_.advance(50);
  pool_.release(*second);
  EXPECT_EQ(c_.connection, second);
  EXPECT_EQ(c_.at, 150) << "stamped when it was handed over";
  pool_.release(*first);
  pool_.release(*c_.connection);
  now = pool_.counters();
  EXPECT_EQ(now.in_use, 0);
  EXPECT_EQ(now.waiting, 0);
  EXPECT_EQ(now.acquired, 3U);
  EXPECT_EQ(now.released, 3U);
}

TEST_F(ConnectionPoolTest, TheLineIsFirstComeFirstServed) {
  Waiting x('x', log_), y('y', log_);
  Connection* const one = pool_.acquire_or_wait(x, clock_.now());
  Connection* const two = pool_.acquire_or_wait(y, clock_.now());
  for (Waiting* const waiter : {&a_, &b_, &c_, &d_}) ASSERT_EQ(pool_.acquire_or_wait(*waiter, clock_.now()), nullptr);
  pool_.release(*one);
  pool_.release(*two);
  pool_.release(*a_.connection);
  pool_.release(*b_.connection);
  EXPECT_EQ(log_, "abcd");
  pool_.release(*c_.connection);
  pool_.release(*d_.connection);
  EXPECT_EQ(pool_.counters().in_use, 0);
}

TEST_F(ConnectionPoolTest, WhoCancelsLeavesFirstMiddleAndLastPlace) {
  Connection* const one = pool_.acquire_or_wait(a_, clock_.now());
  Connection* const two = pool_.acquire_or_wait(a_, clock_.now());
  Waiting e('e', log_);
  for (Waiting* const waiter : {&a_, &b_, &c_, &d_, &e})
    ASSERT_EQ(pool_.acquire_or_wait(*waiter, clock_.now()), nullptr);
  EXPECT_TRUE(pool_.cancel(a_));
  EXPECT_TRUE(pool_.cancel(c_));
  EXPECT_TRUE(pool_.cancel(e));
  EXPECT_FALSE(pool_.cancel(c_)) << "it is out already";
  EXPECT_EQ(pool_.counters().waiting, 2);
  pool_.release(*one);
  EXPECT_FALSE(pool_.cancel(b_)) << "it was granted: the connection is its own to give back";
  pool_.release(*two);
  EXPECT_EQ(log_, "bd");
  ASSERT_EQ(pool_.acquire_or_wait(c_, clock_.now()), nullptr) << "a place may be used again";
  pool_.release(*b_.connection);
  EXPECT_EQ(log_, "bdc");
  pool_.release(*c_.connection);
  pool_.release(*d_.connection);
}

TEST_F(ConnectionPoolTest, CloseFailsTheLineAndAllWhoComeLater) {
  Lease one(pool_, *pool_.acquire_or_wait(a_, clock_.now()));
  Lease two(pool_, *pool_.acquire_or_wait(a_, clock_.now()));
  for (Waiting* const waiter : {&a_, &b_}) ASSERT_EQ(pool_.acquire_or_wait(*waiter, clock_.now()), nullptr);
  pool_.close();
  EXPECT_EQ(log_, "!!");
  EXPECT_EQ(a_.error.code, ErrorCode::cancelled);
  EXPECT_EQ(pool_.acquire_or_wait(c_, clock_.now()), nullptr);
  EXPECT_EQ(c_.error.code, ErrorCode::cancelled);
  one.release();
  two.release();
  EXPECT_EQ(pool_.acquire_or_wait(d_, clock_.now()), nullptr) << "nothing is handed out of a closed pool";
  EXPECT_EQ(pool_.counters().in_use, 0);
  pool_.close();
}

TEST_F(ConnectionPoolTest, ALeaseGivesBackOnce) {
  {
    Lease lease(pool_, *pool_.acquire_or_wait(a_, clock_.now()));
    Lease moved(std::move(lease));
    EXPECT_FALSE(lease);  // NOLINT(bugprone-use-after-move): that is what is tested
    EXPECT_TRUE(moved);
    Lease other(pool_, *pool_.acquire_or_wait(a_, clock_.now()));
    other = std::move(moved);
    EXPECT_EQ(pool_.counters().in_use, 1) << "what was held before went back";
    other.release();
    other.release();
    EXPECT_EQ(pool_.counters().in_use, 0);
  }
  EXPECT_EQ(pool_.counters().released, 2U);
}

TEST(ConnectionPoolWithServer, TheNextHolderNeverMeetsAnOpenTransactionOrAnUnreadAnswer) {
  testing::BlockingCaller caller;
  ConnectionPool pool(testing::server().dsn(), 1, {}, caller.clock);
  const Statement state{"state",
                        "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'ExclusiveLock' "
                        "AND locktype = 'transactionid'",
                        {}};
  {
    const Lease lease = acquire(pool, caller.waiter, caller.soon(), caller.trace);
    caller.query(*lease, {"begin", "BEGIN", {}});
    caller.query(*lease, {"number", "SELECT pg_current_xact_id()::text", {}});
    EXPECT_EQ(caller.query(*lease, state)[0].int64(0), 1);
  }
  {
    const Lease lease = acquire(pool, caller.waiter, caller.soon(), caller.trace);
    EXPECT_FALSE(lease->transaction_open());
    EXPECT_EQ(caller.query(*lease, state)[0].int64(0), 0);
    const Statement slow{"slow", "SELECT pg_sleep(3600)", {}};
    Query unread(*lease, slow, Params());
    unread.step();
    unread.abandon();
  }
  const Lease lease = acquire(pool, caller.waiter, caller.soon(), caller.trace);
  EXPECT_EQ(caller.query(*lease, {"one", "SELECT 1::int8", {}})[0].int64(0), 1);
}

TEST_F(ConnectionPoolTest, KnowsHowLongItsConnectionsWereHeld) {
  Connection* const one = pool_.acquire_or_wait(a_, clock_.now());
  clock_.advance(10);
  Connection* const two = pool_.acquire_or_wait(b_, clock_.now());
  clock_.advance(30);
  ASSERT_EQ(pool_.acquire_or_wait(c_, clock_.now()), nullptr);
  EXPECT_EQ(pool_.counters().held, 0) << "only leases that have ended count";
  pool_.release(*one);
  EXPECT_EQ(pool_.counters().held, 40);
  clock_.advance(5);
  pool_.release(*c_.connection);
  EXPECT_EQ(pool_.counters().held, 45) << "from the hand-over on, not from the asking";
  pool_.release(*two);
  EXPECT_EQ(pool_.counters().held, 80);
  EXPECT_EQ(pool_.counters().released, 3U);
}

TEST_F(ConnectionPoolTest, CountsHowItsConnectionsLearntOfTheirResults) {
  Connection* const one = pool_.acquire_or_wait(a_, clock_.now());
  one->count_result(5, 9);
  one->count_result(9, 9);
  one->count_result(7, 9);
  pool_.release(*one);
  EXPECT_EQ(pool_.counters().results_stamped, 2U);
  EXPECT_EQ(pool_.counters().results_told, 1U);
  pool_.release(*pool_.acquire_or_wait(a_, clock_.now()));
  EXPECT_EQ(pool_.counters().results_stamped, 2U) << "counted once";
}

}  // namespace
}  // namespace parkbench::postgres
