#pragma once

#include <string_view>

#include "parkbench/base/deadline.hpp"
#include "parkbench/client/answer.hpp"
#include "parkbench/client/connection_pool.hpp"
#include "parkbench/io/waiter.hpp"

namespace parkbench::client {

/// One GET in two halves, so that several can be under way before the first answer is waited for; the waiter waits: an
/// OS thread blocks, a virtual thread parks. Let go unfinished, it closes its connection.
class BlockingCall {
 public:
  BlockingCall(ConnectionPool& pool, io::Waiter& waiter, Deadline deadline)
      : pool_(pool), waiter_(waiter), deadline_(deadline) {}
  BlockingCall(const BlockingCall&) = delete;
  BlockingCall& operator=(const BlockingCall&) = delete;
  ~BlockingCall() { give_up(); }

  /// Takes a connection, opens it where it must be, and sends. request must live until finish() has returned.
  /// @param stand_in_line else it is false when no connection is free.
  /// @throws Failure: connect_refused, connect_timeout, address_unavailable, out_of_memory, pool_timeout (in line until
  ///     the deadline), timeout (before the send), cancelled.
  bool begin(std::string_view request, bool stand_in_line = true);
  /// Waits for the answer. A kept connection that the server had closed is replaced once and the request sent again: a
  /// GET may be repeated.
  /// @throws Failure: as begin, and closed_before_response, stale_connection, reset_headers, reset_body, truncated,
  ///     protocol_error, header_too_large, body_too_large, timeout.
  Answer finish();

  const CallTimes& times() const { return times_; }

 private:
  void take(bool stand_in_line);
  void open();
  void send();
  void give_up();
  [[noreturn]] void fail(const Error& error);

  ConnectionPool& pool_;
  io::Waiter& waiter_;
  const Deadline deadline_;
  std::string_view request_;
  Connection* connection_ = nullptr;
  Step step_ = Step::done;
  CallTimes times_;
};

}  // namespace parkbench::client
