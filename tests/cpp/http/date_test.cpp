#include "parkbench/http/date.hpp"

#include <gtest/gtest.h>

#include <string>

namespace parkbench::http {
namespace {

std::string date(std::int64_t unix_seconds) {
  std::string text(kDateLength, '?');
  write_date(unix_seconds, text.data());
  return text;
}

TEST(Date, is_written_as_rfc_9110_does) {
  EXPECT_EQ(date(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(date(951'782'400), "Tue, 29 Feb 2000 00:00:00 GMT");
  EXPECT_EQ(date(1'796'083'199), "Mon, 30 Nov 2026 23:59:59 GMT");
  EXPECT_EQ(date(4'107'542'400), "Mon, 01 Mar 2100 00:00:00 GMT");
  EXPECT_EQ(date(253'402'300'799), "Fri, 31 Dec 9999 23:59:59 GMT");
}

}  // namespace
}  // namespace parkbench::http
