#include "parkbench/workload/first_errors.hpp"

#include <gtest/gtest.h>

namespace parkbench::workload {
namespace {

TEST(FirstErrors, keeps_the_first_text_of_each_kind) {
  FirstErrors errors;
  errors.keep({ErrorCode::db_error, "first"});
  errors.keep({ErrorCode::db_error, "second"});
  errors.keep({ErrorCode::pool_timeout, "other"});
  EXPECT_EQ(errors.text(ErrorCode::db_error), "first");
  EXPECT_EQ(errors.text(ErrorCode::pool_timeout), "other");
  EXPECT_EQ(errors.text(ErrorCode::cancelled), "");
}

}  // namespace
}  // namespace parkbench::workload
