#include "parkbench/client/address.hpp"

#include <gtest/gtest.h>

#include "parkbench/base/error.hpp"

namespace parkbench::client {
namespace {

TEST(Address, takes_both_kinds_of_addresses_and_writes_them_as_the_header_host_does) {
  EXPECT_EQ(Address("127.0.0.1", 8080).text(), "127.0.0.1:8080");
  EXPECT_EQ(Address("127.0.0.1", 8080).family(), AF_INET);
  EXPECT_EQ(Address("::1", 80).text(), "[::1]:80");
  EXPECT_EQ(Address("::1", 80).family(), AF_INET6);
}

TEST(Address, refuses_names) {
  EXPECT_THROW(Address("localhost", 80), Failure);
  EXPECT_THROW(Address("", 80), Failure);
}

}  // namespace
}  // namespace parkbench::client
