#include "parkbench/http/request.hpp"

#include "parkbench/http/header_lines.hpp"

namespace parkbench::http {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::put:
      return "PUT";
    case Method::del:
      return "DELETE";
    case Method::options:
      return "OPTIONS";
    case Method::patch:
      return "PATCH";
    case Method::trace:
      return "TRACE";
    case Method::connect:
      return "CONNECT";
  }
  return "";
}

std::string_view Request::header(std::string_view name) const { return find_header(headers, name).value_or(""); }

bool Request::has_header(std::string_view name) const { return find_header(headers, name).has_value(); }

}  // namespace parkbench::http
