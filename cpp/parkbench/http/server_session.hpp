#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "parkbench/base/deadline.hpp"
#include "parkbench/http/date.hpp"
#include "parkbench/http/limits.hpp"
#include "parkbench/http/request.hpp"
#include "parkbench/http/response.hpp"

namespace parkbench::http {

/// The server's side of one HTTP/1.1 connection without a socket, a clock or a wait in it: bytes in, bytes out, and
/// what is to be done next. All servers drive it, so all give the same bytes for the same request.
///
///   for (;;) switch (session.step()) {
///     case Step::read:     recv into space(), then received(n, now) or ended(now); when nothing comes until
///                          deadline(): expired(now)
///     case Step::handle:   run the handler on request(), then respond(...) - now or later, from any one thread; while
///                          streaming(): all pieces so far are written, more may come
///     case Step::write:    send pending(), then written(n, now); no progress until deadline(): expired(now)
///     case Step::shut_down: shutdown(SHUT_WR), then shut_down_done(now)
///     case Step::close:    close the socket
///   }
///
/// One request at a time: the next one of a pipeline stays in the buffer until its predecessor's answer is written, and
/// nothing more is read meanwhile, so that memory is bounded and answers keep their order.
class ServerSession {
 public:
  enum class Step : unsigned char { read, handle, write, shut_down, close };

  /// @param limits must outlive the session. @param wall gives the Date of answers.
  ServerSession(const Limits& limits, Ns now, UnixSeconds wall = unix_seconds);
  ~ServerSession();
  ServerSession(ServerSession&&) noexcept;
  ServerSession& operator=(ServerSession&&) noexcept;

  Step step() const;
  /// When the present read or write has taken too long. Moves with every byte of progress in a write; a read of headers
  /// or a body is limited as a whole.
  Deadline deadline() const;

  /// Room for at least one byte; only while step() is read. A buffer grows from 1 KiB as needed and is given back when
  /// it is empty, so that an idle connection holds none: ask for it when the socket is readable, or say received(0)
  /// when it was not.
  std::span<char> space();
  void received(std::size_t bytes, Ns now);
  /// The peer has finished sending (or the connection broke).
  void ended(Ns now);
  void expired(Ns now);

  /// While step() is handle.
  const Request& request() const;
  /// When the last byte of the request came in.
  Ns request_complete_at() const;

  /// Answers the request. HEAD gets the headers alone. After it the texts of request() are gone.
  void respond(const Response& response, Ns now);
  /// Answers piece by piece: chunked, or until the close for HTTP/1.0. Pieces wait in pending(): whoever feeds watches
  /// its size. A HEAD request drops the pieces.
  void begin_stream(const Response& head, Ns now);
  void stream(std::string_view piece, Ns now);
  void end_stream(Ns now);
  /// The stream cannot go on: what was sent is cut off, so that the peer sees that it is not whole.
  void abort_stream();
  bool streaming() const;

  std::string_view pending() const;
  void written(std::size_t bytes, Ns now);
  void shut_down_done(Ns now);
  /// Answers what it has, takes no further request; an idle connection is closed at once.
  void stop_keep_alive();
  /// Nothing of a request has come and nothing is to be sent.
  bool idle() const;
  /// The status with which the session itself refused a request (400, 408, 413 ...); 0 while it has not. It does so at
  /// most once.
  int refused() const;
  /// A stream was aborted whose end the peer takes from the close: close with a reset (SO_LINGER 0), or it looks whole.
  bool must_reset() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parkbench::http
