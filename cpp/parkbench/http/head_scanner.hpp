#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace parkbench::http {

/// How much of a head is taken.
struct HeadLimits {
  std::size_t first_line;
  std::size_t line;
  std::size_t block;
  std::size_t lines;
  unsigned blank_lines;  // allowed before the first line
};

/// Finds the end of a head (first line, header lines, empty line) that comes in any number of pieces, and refuses what
/// no message may hold: each byte is looked at once, and what is found does not depend on how the bytes were cut.
class HeadScanner {
 public:
  enum class Found : std::uint8_t { more, complete, fault };
  enum class Fault : std::uint8_t {
    none,
    control,           // a control character, or a tab in the first line
    bare_line_feed,    // LF without CR
    bare_return,       // CR without LF
    blank_lines,       // more empty lines in front than allowed
    folded,            // a header line that begins with a blank
    first_line_limit,  // longer than allowed
    line_limit,
    block_limit,
    lines_limit,
  };

  /// @param bytes everything of the message so far, what was scanned before included.
  Found scan(std::string_view bytes, const HeadLimits& limits);

  Fault fault() const { return fault_; }
  /// Something else than empty lines has come.
  bool begun(std::string_view bytes) const { return bytes.size() > first_line_ && bytes[first_line_] != '\r'; }
  std::size_t first_line() const { return first_line_; }
  /// Behind the first line's CRLF; 0 while it is not complete.
  std::size_t headers() const { return headers_; }
  /// Behind the empty line, when complete.
  std::size_t end() const { return position_; }

 private:
  Found refuse(Fault fault);
  Fault over_limit(const HeadLimits& limits) const;

  std::uint32_t position_ = 0;
  std::uint32_t line_ = 0;  // where the present line began
  std::uint32_t first_line_ = 0;
  std::uint32_t headers_ = 0;
  std::uint32_t lines_ = 0;
  std::uint8_t blank_lines_ = 0;
  Fault fault_ = Fault::none;
};

}  // namespace parkbench::http
