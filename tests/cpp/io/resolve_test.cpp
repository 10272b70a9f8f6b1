#include "parkbench/io/resolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parkbench/base/error.hpp"

namespace parkbench::io {
namespace {

TEST(Resolve, ANumericAddressIsItself) {
  EXPECT_THAT(resolve_host("127.0.0.1"), ::testing::ElementsAre("127.0.0.1"));
  EXPECT_THAT(resolve_host("::1"), ::testing::ElementsAre("::1"));
}

TEST(Resolve, LocalhostIsThisMachine) {
  const auto addresses = resolve_host("localhost");
  ASSERT_FALSE(addresses.empty());
  for (const auto& address : addresses) EXPECT_TRUE(is_loopback_address(address)) << address;
}

TEST(Resolve, AnUnknownNameIsAnErrorThatNamesIt) {
  try {
    resolve_host("no-such-host.invalid");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::db_connect);
    EXPECT_THAT(failure.what(), ::testing::HasSubstr("no-such-host.invalid"));
  }
}

TEST(Resolve, KnowsLoopbackAddresses) {
  for (const char* local : {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback_address(local)) << local;
  }
  for (const char* other : {"10.0.0.1", "128.0.0.1", "fe80::1", "::ffff:10.0.0.1", "localhost", ""}) {
    EXPECT_FALSE(is_loopback_address(other)) << other;
  }
}

}  // namespace
}  // namespace parkbench::io
