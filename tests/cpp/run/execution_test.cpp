#include "parkbench/run/execution.hpp"

#include <gtest/gtest.h>

namespace parkbench::run {
namespace {

class StatusOf : public ::testing::Test {
 protected:
  StatusOf() { report_.ledger.ok = 1; }
  std::string status() const { return status_of(report_, load_); }
  Report report_;
  load::LoadResult load_{1};
};

TEST_F(StatusOf, a_good_run_is_ok) { EXPECT_EQ(status(), "ok"); }

TEST_F(StatusOf, a_window_too_short_and_a_run_cut_off_say_so) {
  load_.too_short = true;
  EXPECT_EQ(status(), "too_short");
  load_.cancelled = true;
  EXPECT_EQ(status(), "incomplete");
  report_.ledger.ok = 0;
  EXPECT_EQ(status(), "incomplete");
}

TEST_F(StatusOf, without_a_success_all_causes_are_named) {
  report_.ledger.ok = 0;
  report_.error_texts = {{"connect_refused", "connect: Connection refused"}};
  EXPECT_EQ(status(), "failed: no request succeeded; connect_refused: connect: Connection refused");
}

TEST_F(StatusOf, a_lost_database_fails_the_run) {
  report_.error_texts = {{"db_connection_lost", "server closed the connection"}};
  report_.ledger.failures[static_cast<std::size_t>(ErrorCode::db_connection_lost)] = 3;
  EXPECT_EQ(status(), "failed: db_connection_lost (3 requests of the window): server closed the connection");
  report_.http.emplace();
  EXPECT_EQ(status(), "failed: db_connection_lost: server closed the connection");
}

}  // namespace
}  // namespace parkbench::run
