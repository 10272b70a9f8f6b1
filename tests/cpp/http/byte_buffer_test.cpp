#include "parkbench/http/byte_buffer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace parkbench::http {
namespace {

void add(ByteBuffer& buffer, std::string_view text, std::size_t most = 1 << 20) {
  while (!text.empty()) {
    const auto room = buffer.space(most);
    const std::size_t size = std::min(room.size(), text.size());
    std::memcpy(room.data(), text.data(), size);
    buffer.added(size);
    text.remove_prefix(size);
  }
}

TEST(ByteBuffer, holds_nothing_until_asked_and_nothing_after_release) {
  ByteBuffer buffer;
  EXPECT_EQ(buffer.capacity(), 0U);
  EXPECT_EQ(buffer.space(100'000).size(), ByteBuffer::kFirst);
  add(buffer, "abc");
  buffer.release();
  EXPECT_EQ(buffer.capacity(), 0U);
  EXPECT_TRUE(buffer.empty());
}

TEST(ByteBuffer, grows_by_doubling_up_to_what_is_of_use_and_keeps_what_it_holds) {
  ByteBuffer buffer;
  const std::string text(5000, 'x');
  add(buffer, text, 5000);
  EXPECT_EQ(buffer.view(), text);
  EXPECT_EQ(buffer.capacity(), 5000U);
  add(buffer, "y", 5000);  // asked for all the same
  EXPECT_EQ(buffer.view(), text + "y");
}

TEST(ByteBuffer, moves_its_content_before_it_grows) {
  ByteBuffer buffer;
  add(buffer, std::string(1000, 'a') + std::string(24, 'b'));
  buffer.used(1000);
  EXPECT_EQ(buffer.space(1 << 20).size(), 1000U);
  EXPECT_EQ(buffer.view(), std::string(24, 'b'));
  EXPECT_EQ(buffer.capacity(), ByteBuffer::kFirst);
}

TEST(ByteBuffer, cuts_pieces_out_and_shortens) {
  ByteBuffer buffer;
  add(buffer, "head12345tail");
  buffer.cut(4, 5);
  EXPECT_EQ(buffer.view(), "headtail");
  buffer.shorten(4);
  EXPECT_EQ(buffer.view(), "head");
  buffer.cut(0, 4);
  EXPECT_TRUE(buffer.empty());
}

TEST(ByteBuffer, has_its_whole_room_again_when_all_is_used) {
  ByteBuffer buffer;
  add(buffer, "abc");
  buffer.used(3);
  EXPECT_EQ(buffer.tail().size(), ByteBuffer::kFirst);
}

}  // namespace
}  // namespace parkbench::http
