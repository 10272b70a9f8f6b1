#pragma once

#include <string>
#include <string_view>

namespace parkbench::http {

/// An answer as a handler makes it; the session adds length, date, connection.
struct Response {
  int status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";  // of static storage
  std::string body;                                             // 13 bytes of `hello` need no allocation
  std::string headers;  // further header lines, each with its CRLF, as `Allow: GET, HEAD\r\n`
  bool close = false;   // end the connection after it
};

/// `Not Found` of 404.
std::string_view reason(int status);
/// A text/plain answer that says what is wrong, one line.
Response error_response(int status, std::string_view text = {});

}  // namespace parkbench::http
