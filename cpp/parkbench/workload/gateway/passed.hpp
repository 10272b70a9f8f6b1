#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "parkbench/base/error.hpp"

namespace parkbench::workload::gateway {

/// What the gateway looks at in a request. Its texts live until the answer.
struct Inbound {
  std::string_view path = "/gateway/orders";
  std::string_view authorization = {};
  bool denied = false;          // header X-Deny is there
  std::string_view query = {};  // behind the '?'
};

/// What the gateway answers.
struct Passed {
  int status = 200;
  std::string body;
  std::string_view content_type = "text/plain; charset=utf-8";  // of static storage
  std::string headers;                                          // further lines, each with its CRLF
};

/// The value of a request without HTTP around it: the length of the body. @throws Failure(status_4xx, status_5xx)
inline std::int64_t value_of(const Passed& passed) {
  if (passed.status >= 500) throw Failure(ErrorCode::status_5xx, passed.body);
  if (passed.status >= 400) throw Failure(ErrorCode::status_4xx, passed.body);
  return static_cast<std::int64_t>(passed.body.size());
}

}  // namespace parkbench::workload::gateway
