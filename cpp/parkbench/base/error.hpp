#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace parkbench {

/// Why a request (or a step of it) did not succeed. The names are the keys of `failures` in a result.
enum class ErrorCode : std::uint8_t {
  none,
  rejected,            // the model refused it before any work started
  timeout,             // the request's own time was up
  pool_timeout,        // no connection became free in time
  cancelled,           // the run was stopped
  db_connect,          // a connection could not be opened
  db_connection_lost,  // the server went away under a query
  db_error,            // the server refused the statement; the message has its SQLSTATE
  not_found,           // no such product
  wrong_answer,        // the price is not the expected one
  out_of_memory,       // a stack, thread or buffer could not be had
  internal,            // a fault of parkbench
  // Of an HTTP client, ours towards a downstream or the generator's towards a server.
  connect_refused,
  connect_timeout,
  address_unavailable,     // no local port is left (EADDRNOTAVAIL)
  closed_before_response,  // the peer closed a fresh connection without an answer
  stale_connection,        // a kept connection was closed by the peer as the request went out
  reset_headers,
  reset_body,
  truncated,
  protocol_error,
  header_too_large,
  body_too_large,
  status_3xx,
  status_4xx,
  status_5xx,
  // Of the gateway, told to its client as 503, 504 or 502.
  bulkhead_full,
  circuit_open,
  downstream_timeout,
  downstream_failed,
};
inline constexpr std::size_t kErrorCodes = 30;

std::string_view to_string(ErrorCode code);
/// The code of that name; none where there is no such.
ErrorCode error_code(std::string_view name);

/// An error as a value: what reactive chains carry and what blocking code throws inside a Failure.
struct Error {
  ErrorCode code = ErrorCode::none;
  std::string message;
};

/// The one exception of the core: misuse at a boundary, or a failed step of blocking request code.
class Failure : public std::runtime_error {
 public:
  Failure(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  explicit Failure(const Error& error) : Failure(error.code, error.message) {}
  ErrorCode code() const { return code_; }
  Error error() const { return {code_, what()}; }

 private:
  ErrorCode code_;
};

/// The text of an errno value, without the thread-unsafe strerror.
std::string system_error_text(int error_number);

}  // namespace parkbench
