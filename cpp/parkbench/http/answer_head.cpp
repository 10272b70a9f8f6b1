#include "parkbench/http/answer_head.hpp"

#include <charconv>
#include <cstring>

namespace parkbench::http {
namespace {

char* put(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

}  // namespace

std::size_t answer_head_room(const Response& response) {
  constexpr std::size_t kFixed = 256;  // all texts below, the longest reason and 20 digits come to 190
  return kFixed + response.content_type.size() + response.headers.size();
}

char* write_answer_head(char* out, const Response& response, Framing framing, ConnectionHeader connection,
                        std::int64_t unix_seconds) {
  if (response.status == 200) {
    out = put(out, "HTTP/1.1 200 OK\r\n");
  } else {
    out = put(out, "HTTP/1.1 ");
    out = std::to_chars(out, out + 11, response.status).ptr;
    *out++ = ' ';
    out = put(put(out, reason(response.status)), "\r\n");
  }
  if (framing != Framing::none && !response.content_type.empty()) {
    out = put(put(put(out, "Content-Type: "), response.content_type), "\r\n");
  }
  if (framing == Framing::length) {
    out = put(out, "Content-Length: ");
    out = std::to_chars(out, out + 20, response.body.size()).ptr;
    out = put(out, "\r\n");
  } else if (framing == Framing::chunked) {
    out = put(out, "Transfer-Encoding: chunked\r\n");
  }
  out = put(out, response.headers);
  if (connection == ConnectionHeader::close) {
    out = put(out, "Connection: close\r\n");
  } else if (connection == ConnectionHeader::keep_alive) {
    out = put(out, "Connection: keep-alive\r\n");
  }
  out = put(out, "Date: ");
  write_date(unix_seconds, out);
  return put(out + kDateLength, "\r\n\r\n");
}

}  // namespace parkbench::http
