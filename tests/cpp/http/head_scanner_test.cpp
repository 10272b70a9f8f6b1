#include "parkbench/http/head_scanner.hpp"

#include <gtest/gtest.h>

#include <string>

namespace parkbench::http {
namespace {

using Fault = HeadScanner::Fault;
using Found = HeadScanner::Found;

constexpr HeadLimits kLimits{.first_line = 20, .line = 30, .block = 60, .lines = 3, .blank_lines = 1};

/// The fault found in all of `bytes`, which must be the same byte by byte.
Fault fault(const std::string& bytes) {
  HeadScanner whole;
  const Found found = whole.scan(bytes, kLimits);
  HeadScanner pieces;
  Found last = Found::more;
  for (std::size_t size = 1; size <= bytes.size() && last == Found::more; ++size) {
    last = pieces.scan(std::string_view(bytes).substr(0, size), kLimits);
  }
  EXPECT_EQ(found, last) << bytes;
  EXPECT_EQ(whole.fault(), pieces.fault()) << bytes;
  return whole.fault();
}

TEST(HeadScanner, finds_first_line_headers_and_end) {
  HeadScanner scanner;
  const std::string bytes = "\r\nGET / HTTP/1.1\r\nA: b\r\n\r\nbody";
  EXPECT_EQ(scanner.scan(bytes, kLimits), Found::complete);
  EXPECT_EQ(scanner.first_line(), 2U);
  EXPECT_EQ(bytes.substr(scanner.headers()), "A: b\r\n\r\nbody");
  EXPECT_EQ(bytes.substr(scanner.end()), "body");
}

TEST(HeadScanner, has_begun_with_the_first_byte_that_is_no_empty_line) {
  HeadScanner scanner;
  EXPECT_FALSE(scanner.begun(""));
  EXPECT_EQ(scanner.scan("\r\n", kLimits), Found::more);
  EXPECT_FALSE(scanner.begun("\r\n"));
  EXPECT_FALSE(scanner.begun("\r\n\r"));
  EXPECT_TRUE(scanner.begun("\r\nG"));
}

TEST(HeadScanner, refuses_what_no_head_may_hold) {
  EXPECT_EQ(fault("a\r\nB: c\r\n\r\n"), Fault::none);
  EXPECT_EQ(fault("a\nB: c\r\n\r\n"), Fault::bare_line_feed);
  EXPECT_EQ(fault("a\r\nB: c\n\r\n"), Fault::bare_line_feed);
  EXPECT_EQ(fault("a\r\nB: c\rD\r\n\r\n"), Fault::bare_return);
  EXPECT_EQ(fault("a\r\nB: c\r\n\rX"), Fault::bare_return);
  EXPECT_EQ(fault("a\tb\r\n"), Fault::control);
  EXPECT_EQ(fault("a\r\nB: \tc\td\r\n\r\n"), Fault::none);
  EXPECT_EQ(fault("a\r\n B: c\r\n\r\n"), Fault::folded);
  EXPECT_EQ(fault("a\r\nB: c\r\n\td\r\n\r\n"), Fault::folded);
  EXPECT_EQ(fault("\r\n\r\na\r\n"), Fault::blank_lines);
}

TEST(HeadScanner, finds_every_control_character_at_every_place_of_a_word) {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t at = 0; at < 17; ++at) {
      std::string line(17, '~');
      line[at] = static_cast<char>(byte);
      const bool bad = (byte < 0x20 && byte != '\t') || byte == 0x7f || (at == 0 && (byte == ' ' || byte == '\t'));
      EXPECT_EQ(fault("a\r\n" + line + "\r\n\r\n") != Fault::none, bad) << byte << " at " << at;
    }
  }
}

TEST(HeadScanner, keeps_the_limits_to_the_byte) {
  EXPECT_EQ(fault(std::string(20, 'a') + "\r\n\r\n"), Fault::none);
  EXPECT_EQ(fault(std::string(21, 'a')), Fault::first_line_limit);
  EXPECT_EQ(fault(std::string(21, 'a') + "\n"), Fault::first_line_limit);  // before what is wrong behind it
  EXPECT_EQ(fault("a\r\n" + std::string(30, 'b') + "\r\n\r\n"), Fault::none);
  EXPECT_EQ(fault("a\r\n" + std::string(31, 'b') + "\r\n\r\n"), Fault::line_limit);
  EXPECT_EQ(fault("a\r\nb\r\nc\r\nd\r\n\r\n"), Fault::none);
  EXPECT_EQ(fault("a\r\nb\r\nc\r\nd\r\ne\r\n\r\n"), Fault::lines_limit);
  EXPECT_EQ(fault("a\r\n" + std::string(28, 'b') + "\r\n" + std::string(26, 'c') + "\r\n d"), Fault::block_limit);
  EXPECT_EQ(fault("a\r\n" + std::string(28, 'b') + "\r\n" + std::string(31, 'c')), Fault::block_limit);
}

}  // namespace
}  // namespace parkbench::http
