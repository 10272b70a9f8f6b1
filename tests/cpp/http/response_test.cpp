#include "parkbench/http/response.hpp"

#include <gtest/gtest.h>

namespace parkbench::http {
namespace {

TEST(Response, of_an_error_says_what_is_wrong_in_one_line) {
  const Response plain = error_response(404);
  EXPECT_EQ(plain.status, 404);
  EXPECT_EQ(plain.body, "Not Found\n");
  EXPECT_EQ(error_response(400, "no such id").body, "Bad Request: no such id\n");
  EXPECT_FALSE(plain.close);
}

TEST(Response, has_a_reason_for_every_status_a_session_or_a_gateway_gives) {
  for (const int status : {100, 200, 204, 400, 404, 405, 408, 413, 414, 417, 431, 500, 501, 502, 503, 504, 505}) {
    EXPECT_NE(reason(status), "Unknown") << status;
  }
  EXPECT_EQ(reason(299), "Unknown");
}

}  // namespace
}  // namespace parkbench::http
