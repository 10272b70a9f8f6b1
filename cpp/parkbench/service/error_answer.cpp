#include "parkbench/service/error_answer.hpp"

namespace parkbench::service {
namespace {

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::rejected:
    case ErrorCode::cancelled:
    case ErrorCode::bulkhead_full:
    case ErrorCode::circuit_open:
      return 503;
    case ErrorCode::timeout:
    case ErrorCode::pool_timeout:
    case ErrorCode::connect_timeout:
    case ErrorCode::downstream_timeout:
      return 504;
    case ErrorCode::connect_refused:
    case ErrorCode::closed_before_response:
    case ErrorCode::stale_connection:
    case ErrorCode::reset_headers:
    case ErrorCode::reset_body:
    case ErrorCode::truncated:
    case ErrorCode::protocol_error:
    case ErrorCode::header_too_large:
    case ErrorCode::body_too_large:
    case ErrorCode::status_3xx:
    case ErrorCode::status_4xx:
    case ErrorCode::status_5xx:
    case ErrorCode::downstream_failed:
      return 502;
    default:
      return 500;
  }
}

}  // namespace

/// The cause by its name alone, in the body for people and in a header for our generator: the message of a database's
/// or the system's error is for the operator, not for whoever can reach the port.
http::Response error_answer(const Error& error) {
  const int status = status_of(error.code);
  http::Response response = http::error_response(status, to_string(error.code));
  if (status == 503) {
    response.headers = "Retry-After: 1\r\n";
  } else if (status >= 500) {
    response.headers.append("X-Parkbench-Cause: ").append(to_string(error.code)).append("\r\n");
  }
  return response;
}

http::Response overloaded() { return error_answer({ErrorCode::rejected, {}}); }

}  // namespace parkbench::service
