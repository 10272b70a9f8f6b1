#include "parkbench/base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

namespace parkbench {
namespace {

TEST(Error, every_code_has_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kErrorCodes; ++i) names.insert(to_string(static_cast<ErrorCode>(i)));
  EXPECT_EQ(names.size(), kErrorCodes);
  EXPECT_EQ(to_string(ErrorCode::internal), "internal");
  EXPECT_EQ(to_string(ErrorCode::db_connection_lost), "db_connection_lost");
}

TEST(Failure, carries_code_and_text) {
  const Failure failure(Error{ErrorCode::pool_timeout, "text"});
  EXPECT_EQ(failure.code(), ErrorCode::pool_timeout);
  EXPECT_STREQ(failure.what(), "text");
  EXPECT_EQ(failure.error().message, "text");
}

TEST(Error, errno_has_words) { EXPECT_EQ(system_error_text(ENOENT), "No such file or directory"); }

TEST(Error, a_name_leads_back_to_its_code) {
  for (std::size_t code = 0; code < kErrorCodes; ++code) {
    EXPECT_EQ(error_code(to_string(static_cast<ErrorCode>(code))), static_cast<ErrorCode>(code));
  }
  EXPECT_EQ(error_code("no such thing"), ErrorCode::none);
}

}  // namespace
}  // namespace parkbench
