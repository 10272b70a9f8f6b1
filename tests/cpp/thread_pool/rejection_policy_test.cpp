#include "parkbench/thread_pool/rejection_policy.hpp"

#include <gtest/gtest.h>

namespace parkbench::thread_pool {
namespace {

TEST(RejectionPolicy, is_known_by_its_three_names_only) {
  EXPECT_EQ(rejection_policy("reject"), RejectionPolicy::reject);
  EXPECT_EQ(rejection_policy("caller_runs"), RejectionPolicy::caller_runs);
  EXPECT_EQ(rejection_policy("block"), RejectionPolicy::block);
  EXPECT_EQ(rejection_policy("Reject"), std::nullopt);
  EXPECT_EQ(rejection_policy(""), std::nullopt);
}

}  // namespace
}  // namespace parkbench::thread_pool
