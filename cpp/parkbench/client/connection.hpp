#pragma once

#include <string_view>

#include "parkbench/base/error.hpp"
#include "parkbench/base/unique_fd.hpp"
#include "parkbench/client/address.hpp"
#include "parkbench/http/client_session.hpp"
#include "parkbench/io/poller.hpp"

namespace parkbench::client {

/// What a connection waits for; done: it is connected, or the answer is there, or error() says why not.
enum class Step : unsigned char { want_read, want_write, done };

/// One keep-alive connection with no waiting in it: whoever holds it waits for what a step asks for, then steps on.
/// A call costs one send and, where the answer comes in one piece, one recv.
class Connection {
 public:
  /// Not connected yet. address must outlive it.
  explicit Connection(const Address& address) : address_(address) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { close(); }

  bool is_open() const { return state_ == State::open; }
  /// The server has closed it while it lay idle. Only what a poller watches is known to have been; else a call finds
  /// out.
  bool hung_up() const { return source_.hung_up(); }
  /// Begins to connect, or goes on with it.
  Step connect();
  /// Sends a request and asks to read; only when it is open. request must live until the answer is there.
  Step send(std::string_view request);
  Step step();

  bool failed() const { return error_.code != ErrorCode::none; }
  /// stale_connection: the server had closed while the connection lay idle; a call may be tried again on a fresh one.
  const Error& error() const { return error_; }
  /// The answer, after a call that is done and has not failed.
  const http::ClientSession& session() const { return session_; }
  /// After a call: ready for the next one, or closed where the connection cannot be kept.
  void recycle();
  /// Ends the connection, also in the middle of a call.
  void close();

  io::IoSource& source() { return source_; }

 private:
  friend class ConnectionPool;
  enum class State : unsigned char { closed, connecting, open };

  Step fail(ErrorCode code, int system_error);
  Step flush();

  const Address& address_;
  UniqueFd fd_;
  io::IoSource source_;
  http::ClientSession session_;
  State state_ = State::closed;
  Error error_;
  // The pool's.
  const void* home_ = nullptr;
  Connection* next_ = nullptr;
};

}  // namespace parkbench::client
