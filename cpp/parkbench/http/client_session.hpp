#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "parkbench/base/error.hpp"

namespace parkbench::http {

/// How much of an answer a client takes.
struct ClientLimits {
  std::size_t header_block = 64 * 1024;
  std::size_t body = 16 * 1024 * 1024;
};

/// The client's side of one HTTP/1.1 connection without a socket or a wait in it: one request, one answer, again.
class ClientSession {
 public:
  enum class State : unsigned char {
    idle,     // a request may be started
    sending,  // pending() is to be written; an answer may come already
    reading,  // read into space()
    done,     // the whole answer is here: status(), body(); reset() makes it idle again if keep_alive()
    failed,   // error() says why; the connection must be closed
  };

  explicit ClientSession(ClientLimits limits = {});
  ~ClientSession();
  ClientSession(ClientSession&&) noexcept;
  ClientSession& operator=(ClientSession&&) noexcept;

  State state() const;
  /// @param bytes the whole request, head and body. @param head the answer to HEAD has no body.
  void start(std::string_view bytes, bool head = false);
  std::string_view pending() const;
  void written(std::size_t bytes);

  std::span<char> space();
  void received(std::size_t bytes);
  /// The peer has finished sending: completes an answer that lasts until then, else it is truncated, or
  /// closed_before_response, or stale_connection when the connection had been used before and nothing of the answer
  /// came.
  void ended();
  /// The connection broke (ECONNRESET ...): reset_headers or reset_body, or stale_connection as above.
  void broken();

  int status() const;
  std::string_view body() const;
  /// The value of a header of the answer, any case; empty when there is none.
  std::string_view header(std::string_view name) const;
  /// Body bytes received so far, for answers whose body is not kept.
  std::size_t body_bytes() const;
  /// Drop body bytes instead of keeping them.
  void keep_body(bool keep);
  bool keep_alive() const;
  const Error& error() const;
  void reset();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// `GET /path HTTP/1.1` with Host and further header lines (each with its CRLF).
std::string get_request(std::string_view target, std::string_view host, std::string_view headers = {});

}  // namespace parkbench::http
