#include "parkbench/service/error_answer.hpp"

#include <gtest/gtest.h>

namespace parkbench::service {
namespace {

int status(ErrorCode code) { return error_answer({code, "secret"}).status; }

TEST(ErrorAnswer, gives_each_cause_its_status) {
  EXPECT_EQ(status(ErrorCode::not_found), 404);
  EXPECT_EQ(status(ErrorCode::rejected), 503);
  EXPECT_EQ(status(ErrorCode::bulkhead_full), 503);
  EXPECT_EQ(status(ErrorCode::circuit_open), 503);
  EXPECT_EQ(status(ErrorCode::timeout), 504);
  EXPECT_EQ(status(ErrorCode::pool_timeout), 504);
  EXPECT_EQ(status(ErrorCode::downstream_timeout), 504);
  EXPECT_EQ(status(ErrorCode::downstream_failed), 502);
  EXPECT_EQ(status(ErrorCode::connect_refused), 502);
  EXPECT_EQ(status(ErrorCode::db_connection_lost), 500);
  EXPECT_EQ(status(ErrorCode::internal), 500);
}

TEST(ErrorAnswer, says_when_to_come_again_and_never_what_the_error_said) {
  EXPECT_EQ(overloaded().headers, "Retry-After: 1\r\n");
  EXPECT_EQ(overloaded().body, "Service Unavailable: rejected\n");
  for (std::size_t code = 0; code < kErrorCodes; ++code) {
    const auto answer = error_answer({static_cast<ErrorCode>(code), "password=secret\r\nSet-Cookie: x"});
    EXPECT_EQ((answer.body + answer.headers).find("secret"), std::string::npos);
    EXPECT_EQ(answer.body.find('\n'), answer.body.size() - 1) << "one line";
    EXPECT_EQ(answer.headers.find("Retry-After") != std::string::npos, answer.status == 503);
  }
}

TEST(ErrorAnswer, names_the_cause_of_a_5xx_in_a_header) {
  EXPECT_EQ(error_answer({ErrorCode::out_of_memory, {}}).headers, "X-Parkbench-Cause: out_of_memory\r\n");
  EXPECT_EQ(error_answer({ErrorCode::pool_timeout, {}}).headers, "X-Parkbench-Cause: pool_timeout\r\n");
  EXPECT_EQ(error_answer({ErrorCode::not_found, {}}).headers, "");
}

}  // namespace
}  // namespace parkbench::service
