#pragma once

#include <cstdint>
#include <string_view>

namespace parkbench::http {

enum class Method : std::uint8_t { get, head, post, put, del, options, patch, trace, connect };
std::string_view to_string(Method method);

/// One complete, valid request. Its texts live in the session's buffer until the request is answered.
struct Request {
  Method method = Method::get;
  std::string_view target;   // as sent
  std::string_view path;     // of the target, without query; of an absolute form without scheme and host
  std::string_view query;    // behind the '?'
  int minor_version = 1;     // HTTP/1.x
  bool keep_alive = true;    // what the request asks for
  std::string_view headers;  // the header lines as sent, each with its CRLF; checked
  std::string_view body;     // decoded

  /// The value of the first header of that name (any case), without the blanks around it; empty when there is none.
  std::string_view header(std::string_view name) const;
  bool has_header(std::string_view name) const;
};

}  // namespace parkbench::http
