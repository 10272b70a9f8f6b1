#include "parkbench/io/connect_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace parkbench::io {
namespace {

TEST(ConnectError, tells_what_a_user_can_do_something_about_from_the_rest) {
  EXPECT_EQ(connect_error(EADDRNOTAVAIL), ErrorCode::address_unavailable);
  EXPECT_EQ(connect_error(ETIMEDOUT), ErrorCode::connect_timeout);
  for (const int error : {EMFILE, ENFILE, ENOMEM, ENOBUFS}) EXPECT_EQ(connect_error(error), ErrorCode::out_of_memory);
  for (const int error : {ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ECONNRESET}) {
    EXPECT_EQ(connect_error(error), ErrorCode::connect_refused);
  }
}

}  // namespace
}  // namespace parkbench::io
