#include "parkbench/client/connection.hpp"

#include <gtest/gtest.h>

#include "client/callers.hpp"

namespace parkbench::client {
namespace {

using testing::BlockingCaller;
using testing::kRequest;
using testing::ScriptedServer;

void finish(Connection& connection, Step step, BlockingCaller& caller) {
  for (; step != Step::done; step = connection.step()) {
    const auto interest = step == Step::want_read ? io::Interest::read : io::Interest::write;
    caller.waiter.wait_ready(connection.source(), interest, testing::soon());
  }
}

TEST(Connection, serves_one_call_after_the_other) {
  ScriptedServer server([](int, int request, const std::string&) {
    return ScriptedServer::Turn{testing::answer(std::to_string(request))};
  });
  const Address address("127.0.0.1", server.port());
  BlockingCaller caller;
  Connection connection(address);
  EXPECT_FALSE(connection.is_open());
  ASSERT_EQ(testing::open(connection, caller).code, ErrorCode::none);
  for (const char* body : {"0", "1", "2"}) {
    finish(connection, connection.send(kRequest), caller);
    ASSERT_FALSE(connection.failed());
    EXPECT_EQ(connection.session().body(), body);
    connection.recycle();
    EXPECT_TRUE(connection.is_open());
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(Connection, is_closed_where_the_server_wants_it) {
  ScriptedServer server([](int, int, const std::string&) {
    return ScriptedServer::Turn{testing::answer("bye", "200 OK", "Connection: close\r\n"), ScriptedServer::Then::close};
  });
  const Address address("127.0.0.1", server.port());
  BlockingCaller caller;
  Connection connection(address);
  testing::open(connection, caller);
  finish(connection, connection.send(kRequest), caller);
  EXPECT_EQ(connection.session().body(), "bye");
  connection.recycle();
  EXPECT_FALSE(connection.is_open());
}

TEST(Connection, given_up_in_the_middle_of_a_call_is_closed) {
  std::promise<void> hold;
  const auto held = hold.get_future().share();
  ScriptedServer server([held](int, int, const std::string&) {
    held.wait();
    return ScriptedServer::Turn{testing::answer("late")};
  });
  const Address address("127.0.0.1", server.port());
  BlockingCaller caller;
  Connection connection(address);
  testing::open(connection, caller);
  EXPECT_EQ(connection.send(kRequest), Step::want_read);
  connection.recycle();
  EXPECT_FALSE(connection.is_open());
  hold.set_value();
}

TEST(Connection, without_a_call_stays_open) {
  ScriptedServer server(testing::always_ok);
  const Address address("127.0.0.1", server.port());
  BlockingCaller caller;
  Connection connection(address);
  testing::open(connection, caller);
  connection.recycle();
  EXPECT_TRUE(connection.is_open());
}

TEST(Connection, says_who_refused_it) {
  const Address address("127.0.0.1", testing::free_port());
  BlockingCaller caller;
  Connection connection(address);
  const Error error = testing::open(connection, caller);
  EXPECT_EQ(error.code, ErrorCode::connect_refused);
  EXPECT_NE(error.message.find(address.text()), std::string::npos);
  EXPECT_FALSE(connection.is_open());
}

}  // namespace
}  // namespace parkbench::client
