#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace parkbench::http {

/// What the status line and the headers of an answer say.
struct AnswerHead {
  enum class Framing : std::uint8_t { length, chunked, until_close, none };
  int status = 0;
  Framing framing = Framing::none;
  bool keep_alive = true;
  std::uint64_t content_length = 0;
};

/// Reads what HeadScanner let through.
/// @param head_request the request was HEAD: no body follows, whatever the headers say.
/// @returns null, or what is wrong.
const char* read_answer_head(std::string_view bytes, bool head_request, AnswerHead& head);

}  // namespace parkbench::http
