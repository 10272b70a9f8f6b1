#include "parkbench/http/outbox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace parkbench::http {
namespace {

TEST(Outbox, sends_from_lent_memory_when_it_is_enough) {
  Outbox box;
  std::array<char, 8> lent{};
  char* out = box.room(8, lent);
  EXPECT_EQ(out, lent.data());
  std::memcpy(out, "12345678", 8);
  box.send({out, 8});
  box.written(3);
  EXPECT_EQ(box.pending(), "45678");
  box.written(5);
  EXPECT_TRUE(box.empty());
}

TEST(Outbox, takes_its_own_memory_when_it_is_not) {
  Outbox box;
  std::array<char, 8> lent{};
  char* out = box.room(9, lent);
  EXPECT_NE(out, lent.data());
  std::memcpy(out, "123456789", 9);
  box.send({out, 9});
  EXPECT_EQ(box.pending(), "123456789");
}

TEST(Outbox, appends_to_what_is_lent_as_to_what_is_its_own) {
  Outbox box;
  std::array<char, 4> lent{'a', 'b', 'c', 'd'};
  box.send({lent.data(), 4});
  box.written(1);
  box.append("ef");
  lent.fill('x');  // the loan is over
  EXPECT_EQ(box.pending(), "bcdef");
  box.written(2);
  box.append("g");
  EXPECT_EQ(box.pending(), "defg");
  box.written(4);
  EXPECT_TRUE(box.empty());
  box.append("h");
  EXPECT_EQ(box.pending(), "h");
}

TEST(Outbox, keeps_order_through_any_mix_of_appending_and_writing) {
  Outbox box;
  std::string sent, got;
  for (int i = 0; i < 2000; ++i) {
    const std::string piece = std::to_string(i) + ',';
    box.append(piece);
    sent += piece;
    const std::size_t size = std::min<std::size_t>(box.pending().size(), static_cast<std::size_t>(i * 7 % 11));
    got.append(box.pending().substr(0, size));
    box.written(size);
  }
  got.append(box.pending());
  EXPECT_EQ(got, sent);
}

}  // namespace
}  // namespace parkbench::http
