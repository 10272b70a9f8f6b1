#include "parkbench/reactive/counted.hpp"

#include <gtest/gtest.h>

#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

class Whole;
class Half final : public Part<Whole, Subscription> {
 public:
  using Part::Part;
  void request(std::int64_t) noexcept override {}
  void cancel() noexcept override {}
};
class Whole final : public Node<Subscription> {
 public:
  void request(std::int64_t) noexcept override {}
  void cancel() noexcept override {}
  Half half{*this};
  Tracked alive;
};

TEST(Counted, ends_with_the_last_reference) {
  auto first = make_ref<Whole>();
  Ref<Subscription> second = first;
  first.reset();
  EXPECT_EQ(Tracked::live(), 1);
  second = nullptr;
  EXPECT_EQ(Tracked::live(), 0);
}

TEST(Counted, a_part_keeps_the_whole) {
  auto whole = make_ref<Whole>();
  Ref<Subscription> part(&whole->half);
  whole.reset();
  EXPECT_EQ(Tracked::live(), 1);
  part.reset();
  EXPECT_EQ(Tracked::live(), 0);
}

TEST(Counted, moving_and_leaking_count_nothing) {
  auto first = make_ref<Whole>();
  auto second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move)
  Whole* raw = second.leak();
  EXPECT_EQ(Tracked::live(), 1);
  Ref<Whole>::adopt(raw);
  EXPECT_EQ(Tracked::live(), 0);
}

}  // namespace
}  // namespace parkbench::reactive
