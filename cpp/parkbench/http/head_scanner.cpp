#include "parkbench/http/head_scanner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace parkbench::http {
namespace {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

/// The position of the first byte below 0x20, or of 0x7f, from `at` on; eight bytes a step.
std::size_t first_control(std::string_view bytes, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHigh = 0x8080808080808080U;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    const std::uint64_t del = word ^ (kOnes * 0x7f);
    // A borrow can mark bytes above a true hit only, and the lowest mark is the one taken.
    const std::uint64_t marks = (((word - kOnes * 0x20) & ~word) | ((del - kOnes) & ~del)) & kHigh;
    if (marks != 0) return at + static_cast<std::size_t>(std::countr_zero(marks)) / 8;
  }
  for (; at < bytes.size(); ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if (byte < 0x20 || byte == 0x7f) break;
  }
  return at;
}

}  // namespace

HeadScanner::Found HeadScanner::refuse(Fault fault) {
  fault_ = fault;
  return Found::fault;
}

HeadScanner::Fault HeadScanner::over_limit(const HeadLimits& limits) const {
  const std::size_t line_end = line_ + (headers_ == 0 ? limits.first_line : limits.line);
  if (position_ <= std::min(line_end, limits.block)) return Fault::none;
  // Of two limits the one that is reached first, as if the bytes had come one by one.
  if (limits.block < line_end) return Fault::block_limit;
  return headers_ == 0 ? Fault::first_line_limit : Fault::line_limit;
}

HeadScanner::Found HeadScanner::scan(std::string_view bytes, const HeadLimits& limits) {
  if (fault_ != Fault::none) return Found::fault;
  for (;;) {
    if (headers_ != 0 && position_ == line_ && position_ < bytes.size() &&
        (bytes[position_] == ' ' || bytes[position_] == '\t')) {
      return refuse(Fault::folded);
    }
    position_ = static_cast<std::uint32_t>(first_control(bytes, position_));
    // Before anything else is said of this place, so that one long line is refused alike in one piece and in many.
    if (const Fault fault = over_limit(limits); fault != Fault::none) return refuse(fault);
    if (position_ == bytes.size()) return Found::more;
    const char control = bytes[position_];
    if (control == '\t' && headers_ != 0) {
      ++position_;
      continue;
    }
    if (control == '\n') return refuse(Fault::bare_line_feed);
    if (control != '\r') return refuse(Fault::control);
    if (position_ + 1 == bytes.size()) return Found::more;
    if (bytes[position_ + 1] != '\n') return refuse(Fault::bare_return);

    const bool empty = position_ == line_;
    position_ += 2;
    if (headers_ != 0) {
      if (empty) return Found::complete;
      if (++lines_ > limits.lines) return refuse(Fault::lines_limit);
    } else if (empty) {
      if (++blank_lines_ > limits.blank_lines) return refuse(Fault::blank_lines);
      first_line_ = position_;
    } else {
      headers_ = position_;
    }
    line_ = position_;
    if (position_ > limits.block) return refuse(Fault::block_limit);
  }
}

}  // namespace parkbench::http
