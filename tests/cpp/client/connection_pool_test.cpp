#include "parkbench/client/connection_pool.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "client/callers.hpp"

namespace parkbench::client {
namespace {

struct InLine final : PoolWaiter {
  void granted(Connection& c, Ns at) override {
    connection = &c;
    granted_at = at;
  }
  void failed(const Error& e) override { error = e.code; }
  Connection* connection = nullptr;
  Ns granted_at = 0;
  ErrorCode error = ErrorCode::none;
};

class Pool : public ::testing::Test {
 protected:
  ConnectionPool& make(int limit) { return pool.emplace(Address("127.0.0.1", server.port()), limit, clock); }
  Connection& take_open(const void* home = nullptr) {
    InLine unused;
    Connection* const connection = pool->acquire_or_wait(home, unused);
    testing::open(*connection, caller);
    return *connection;
  }

  testing::ScriptedServer server{testing::always_ok};
  testing::BlockingCaller caller;
  ManualClock clock;
  std::optional<ConnectionPool> pool;
};

TEST_F(Pool, gives_the_last_one_released_first_and_makes_what_is_missing) {
  make(0);
  Connection& a = take_open();
  Connection& b = take_open();
  EXPECT_EQ(pool->counters().connections, 2);
  pool->release(a);
  pool->release(b);
  EXPECT_EQ(pool->try_acquire(nullptr), &b);
  EXPECT_EQ(pool->try_acquire(nullptr), &a);
  EXPECT_EQ(pool->counters().in_use, 2);
  pool->release(a);
  pool->release(b);
  EXPECT_EQ(pool->counters().in_use, 0);
}

TEST_F(Pool, keeps_a_connection_at_the_home_of_its_user) {
  make(0);
  const int loops[2] = {};
  Connection& a = take_open(&loops[0]);
  pool->release(a);
  Connection& b = take_open(&loops[1]);
  EXPECT_NE(&a, &b);
  EXPECT_EQ(pool->try_acquire(&loops[0]), &a);
  pool->release(a);
  pool->release(b);
}

TEST_F(Pool, at_the_limit_takes_an_idle_one_from_elsewhere) {
  make(1);
  const int loops[2] = {};
  Connection& a = take_open(&loops[0]);
  pool->release(a);
  EXPECT_EQ(pool->try_acquire(&loops[1]), &a);
  pool->release(a);
}

TEST_F(Pool, hands_over_first_come_first_served) {
  make(1);
  Connection& only = take_open();
  InLine first;
  InLine second;
  EXPECT_EQ(pool->acquire_or_wait(nullptr, first), nullptr);
  EXPECT_EQ(pool->acquire_or_wait(nullptr, second), nullptr);
  EXPECT_EQ(pool->try_acquire(nullptr), nullptr);
  EXPECT_EQ(pool->counters().waiting, 2);
  clock.set(7);
  pool->release(only);
  EXPECT_EQ(first.connection, &only);
  EXPECT_EQ(first.granted_at, 7);
  EXPECT_EQ(second.connection, nullptr);
  pool->release(only);
  EXPECT_EQ(second.connection, &only);
  pool->release(only);
  EXPECT_EQ(pool->counters().acquired, pool->counters().released);
}

TEST_F(Pool, lets_go_of_who_cancels) {
  make(1);
  Connection& only = take_open();
  InLine gone;
  pool->acquire_or_wait(nullptr, gone);
  EXPECT_TRUE(pool->cancel(gone));
  EXPECT_FALSE(pool->cancel(gone));
  pool->release(only);
  EXPECT_EQ(gone.connection, nullptr);
}

TEST_F(Pool, a_closed_connection_makes_room_for_another) {
  make(1);
  Connection& broken = take_open();
  broken.close();
  pool->release(broken);
  EXPECT_EQ(pool->counters().connections, 0);
  Connection& next = take_open();
  EXPECT_TRUE(next.is_open());
  pool->release(next);
}

TEST_F(Pool, closed_fails_all_in_line_and_all_later) {
  make(1);
  Connection& only = take_open();
  InLine waiting;
  pool->acquire_or_wait(nullptr, waiting);
  pool->close();
  EXPECT_EQ(waiting.error, ErrorCode::cancelled);
  InLine late;
  EXPECT_EQ(pool->acquire_or_wait(nullptr, late), nullptr);
  EXPECT_EQ(late.error, ErrorCode::cancelled);
  EXPECT_EQ(pool->try_acquire(nullptr), nullptr);
  pool->release(only);
  EXPECT_EQ(pool->counters().connections, 0);
}

}  // namespace
}  // namespace parkbench::client
