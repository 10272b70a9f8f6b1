#include "parkbench/reactive/subscription_slot.hpp"

#include <gtest/gtest.h>

#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

TEST(SubscriptionSlot, keeps_one_and_cancels_a_second) {
  SubscriptionSlot slot;
  const auto first = make_ref<SpySubscription>();
  const auto second = make_ref<SpySubscription>();
  EXPECT_TRUE(slot.set(*first));
  EXPECT_FALSE(slot.set(*second));
  EXPECT_EQ(second->cancels, 1);
  EXPECT_TRUE(slot.cancel());
  EXPECT_FALSE(slot.cancel());
  EXPECT_EQ(first->cancels, 1);
}

TEST(SubscriptionSlot, closed_cancels_what_comes_late) {
  SubscriptionSlot slot;
  EXPECT_TRUE(slot.finish());
  const auto late = make_ref<SpySubscription>();
  EXPECT_FALSE(slot.set(*late));
  EXPECT_EQ(late->cancels, 1);
  EXPECT_TRUE(slot.is_closed());
}

TEST(SubscriptionSlot, clear_makes_room_without_a_cancel_but_never_reopens) {
  SubscriptionSlot slot;
  const auto first = make_ref<SpySubscription>();
  const auto second = make_ref<SpySubscription>();
  slot.set(*first);
  slot.clear();
  EXPECT_EQ(first->cancels, 0);
  EXPECT_TRUE(slot.set(*second));
  slot.finish();
  slot.clear();
  EXPECT_TRUE(slot.is_closed());
  EXPECT_EQ(second->cancels, 0);
}

}  // namespace
}  // namespace parkbench::reactive
