#include "parkbench/run/link.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "parkbench/base/thread.hpp"
#include "run/socket_pair.hpp"

namespace parkbench::run {
namespace {

const Clock& steady() { return SteadyClock::instance(); }

TEST(Link, messages_arrive_whole_and_in_order) {
  auto [left, right] = testing::socket_pair();
  Link here(UniqueFd{left});
  Link there(UniqueFd{right});
  Packer packer;
  packer.put(Ns{42});
  packer.put(std::vector<int>{1, 2, 3});
  packer.put(std::string("text"));
  here.send(Message::window_opened, packer.bytes());
  here.send(Message::window_closed);

  const auto first = there.receive(steady(), Deadline::never());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->message, Message::window_opened);
  Unpacker unpacker(first->body);
  EXPECT_EQ(unpacker.take<Ns>(), 42);
  EXPECT_EQ(unpacker.take_all<int>(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(unpacker.take_text(), "text");
  EXPECT_THROW(unpacker.take<char>(), Failure);
  EXPECT_EQ(there.receive(steady(), Deadline::never())->message, Message::window_closed);
}

TEST(Link, a_message_larger_than_the_sockets_buffer_goes_over_in_parts) {
  auto [left, right] = testing::socket_pair();
  Link here(UniqueFd{left});
  Link there(UniqueFd{right});
  std::vector<std::byte> body(3'000'000);
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<std::byte>(i % 251);
  Thread sender("sender", [&] { here.send(Message::evidence, body); });
  const auto frame = there.receive(steady(), Deadline::never());
  ASSERT_TRUE(frame);
  EXPECT_TRUE(frame->body == body);
}

TEST(Link, says_when_the_other_end_is_gone_or_silent) {
  auto [left, right] = testing::socket_pair();
  Link here(UniqueFd{left});
  {
    Link there(UniqueFd{right});
    EXPECT_THROW(here.receive(steady(), Deadline::at(0)), Failure);
  }
  EXPECT_FALSE(here.receive(steady(), Deadline::never()));
  EXPECT_THROW(here.send(Message::hello), Failure);
}

TEST(Link, another_layout_is_refused) {
  auto [left, right] = testing::socket_pair();
  const UniqueFd stranger(left);
  Link there(UniqueFd{right});
  std::array<char, 64> bytes{};
  ASSERT_EQ(send(stranger.get(), bytes.data(), bytes.size(), 0), 64);
  EXPECT_THROW(there.receive(steady(), Deadline::never()), Failure);
}

TEST(Link, a_socket_of_another_type_is_refused) {
  EXPECT_THROW(Link(UniqueFd(socket(AF_UNIX, SOCK_STREAM, 0))), Failure);
}

}  // namespace
}  // namespace parkbench::run
