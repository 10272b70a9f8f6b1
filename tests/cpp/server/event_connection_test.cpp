#include "parkbench/server/event_connection.hpp"

#include <gtest/gtest.h>

#include "parkbench/base/thread.hpp"
#include "server/manual_connection.hpp"

namespace parkbench::server::testing {
namespace {

TEST(EventConnection, goes_back_to_the_loop_without_a_task_when_it_is_idle) {
  ManualPlace s;
  Peer peer(s.place.port());
  for (const std::string body : {"one", "two", "three"}) {
    peer.send(request("/hello"));
    auto& connection = s.next();
    connection.answer(body);
    EXPECT_TRUE(connection.give_back_idle());
    EXPECT_EQ(peer.receive().body, body);
  }
  EXPECT_EQ(s.tally.requests(), 3U);
  EXPECT_EQ(s.books.held(), 0);
}

TEST(EventConnection, is_not_idle_when_more_has_come) {
  ManualPlace s;
  Peer peer(s.place.port());
  peer.send(request("/hello"));
  auto& connection = s.next();
  peer.send(request("/hello"));
  s.turn();
  s.turn();  // the poller has been asked since
  connection.answer("one");
  ASSERT_FALSE(connection.give_back_idle());
  connection.give_back();
  s.next().answer("two");
  EXPECT_EQ(peer.receive().body, "one");
  EXPECT_EQ(peer.receive().body, "two");
  connection.give_back();
}

TEST(EventConnection, hears_of_the_end_that_came_with_the_request) {
  ManualPlace s;
  Peer peer(s.place.port());
  peer.send(request("/hello"));
  peer.finish_sending();
  auto& connection = s.next();
  s.turn();
  s.turn();
  connection.answer("last");
  ASSERT_FALSE(connection.give_back_idle());
  connection.give_back();
  EXPECT_EQ(peer.receive().body, "last");
  EXPECT_TRUE(peer.at_end());
  until([&] { return s.closed == 1; });
}

TEST(EventConnection, answers_a_long_pipeline_in_turns) {
  ManualPlace s;
  Peer peer(s.place.port());
  std::string pipeline;
  for (int i = 0; i < 200; ++i) pipeline += request("/healthz") + request("/nowhere");
  Thread sender("sender", [&] { peer.send(pipeline); });
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(peer.receive().status, 200) << i;
    ASSERT_EQ(peer.receive().status, 404) << i;
  }
  EXPECT_EQ(s.tally.requests(), 400U);
}

TEST(EventConnection, a_first_request_must_come_in_time) {
  ManualPlace s;
  Peer silent(s.place.port());
  Peer slow(s.place.port());
  slow.send("GET /hello HT");
  until([&] { return s.table.size() == 2; });
  s.pass(9 * kSecond);
  EXPECT_EQ(s.closed, 0);
  s.pass(2 * kSecond);
  EXPECT_TRUE(silent.at_end());
  EXPECT_EQ(slow.receive().status, 408);
  until([&] { return s.tally.bad() == 1; });
  EXPECT_TRUE(slow.at_end());
}

TEST(EventConnection, a_request_that_is_handled_has_all_the_time) {
  ManualPlace s;
  Peer peer(s.place.port());
  peer.send(request("/hello"));
  auto& connection = s.next();
  for (int i = 0; i < 10; ++i) s.pass(100 * kSecond);
  EXPECT_EQ(s.closed, 0);
  connection.answer("at last");
  ASSERT_TRUE(connection.give_back_idle());
  EXPECT_EQ(peer.receive().body, "at last");
  // The time of being idle counts from the answer, though nobody has set a timer for it.
  for (int i = 0; i < 5; ++i) s.pass(11 * kSecond);
  EXPECT_EQ(s.closed, 0);
  s.pass(11 * kSecond);
  EXPECT_EQ(s.closed, 1);
  EXPECT_TRUE(peer.at_end());
}

TEST(EventConnection, whoever_takes_nothing_of_an_answer_is_closed) {
  ManualPlace s;
  Peer peer(s.place.port(), 4096);
  std::size_t sent = 0;
  const std::string pipeline = request("/healthz") + request("/healthz");
  const auto blocked = [&] {
    bool writing = false;
    s.table.each([&](const ConnectionEntry& entry) { writing = entry.state == ConnectionEntry::State::writing; });
    return writing;
  };
  while (!blocked()) sent += peer.send_some(std::string_view(pipeline).substr(sent % pipeline.size()));
  s.pass(29 * kSecond);
  EXPECT_EQ(s.closed, 0);
  // Not at once, perhaps: the kernel may still have taken a little.
  until([&] {
    s.pass(31 * kSecond);
    return s.closed == 1;
  });
  EXPECT_GT(sent, 0U);
}

}  // namespace
}  // namespace parkbench::server::testing
