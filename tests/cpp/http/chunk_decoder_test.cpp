#include "parkbench/http/chunk_decoder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace parkbench::http {
namespace {

using Found = ChunkDecoder::Found;

constexpr ChunkLimits kLimits{.body = 20, .extensions = 10, .trailer_block = 40, .trailer_line = 12, .trailers = 2};

struct Outcome {
  Found found;
  std::string body;
  std::size_t used;
};

Outcome decoded(const std::string& bytes, std::size_t piece) {
  ChunkDecoder decoder;
  Outcome outcome{Found::more, "", 0};
  while (outcome.found == Found::more && outcome.used < bytes.size()) {
    std::string part = bytes.substr(outcome.used, piece);
    const ChunkDecoder::Step step = decoder.decode(part.data(), part.size(), part.data(), kLimits);
    outcome.found = step.found;
    outcome.body += part.substr(0, step.decoded);
    outcome.used += step.used;
  }
  return outcome;
}

/// The outcome for all of `bytes`, which must be the same in pieces.
Outcome decode(const std::string& bytes) {
  const Outcome whole = decoded(bytes, bytes.size());
  for (std::size_t piece = 1; piece < 7; ++piece) {
    const Outcome other = decoded(bytes, piece);
    EXPECT_EQ(whole.found, other.found) << bytes;
    EXPECT_EQ(whole.used, other.used) << bytes;
    EXPECT_EQ(whole.body, other.body) << bytes;
  }
  return whole;
}

TEST(ChunkDecoder, joins_chunks_and_stops_behind_the_end) {
  const Outcome outcome = decode("5\r\nhello\r\nA\r\n, world!!!\r\n000\r\n\r\nGET");
  EXPECT_EQ(outcome.found, Found::complete);
  EXPECT_EQ(outcome.body, "hello, world!!!");
  EXPECT_EQ(outcome.used, std::string("5\r\nhello\r\nA\r\n, world!!!\r\n000\r\n\r\n").size());
}

TEST(ChunkDecoder, waits_for_what_is_missing) {
  const std::string whole = "2;a=b\r\nxx\r\n0\r\nT: u\r\n\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_EQ(decode(whole.substr(0, size)).found, Found::more);
  EXPECT_EQ(decode(whole).found, Found::complete);
}

TEST(ChunkDecoder, drops_the_body_when_there_is_no_room_for_it) {
  ChunkDecoder decoder;
  const std::string bytes = "3\r\nabc\r\n0\r\n\r\n";
  const ChunkDecoder::Step step = decoder.decode(bytes.data(), bytes.size(), nullptr, kLimits);
  EXPECT_EQ(step.found, Found::complete);
  EXPECT_EQ(step.decoded, 3U);
}

TEST(ChunkDecoder, refuses_sizes_that_are_not_plain_hex) {
  for (const char* bad : {"\r\n", "g\r\n", "+1\r\n", "-1\r\n", "0x1\r\n", " 1\r\n", "1 \r\n", "1_0\r\n", "1\t\r\n",
                          "1\n", "1\rX", "00000000000000001\r\n"}) {
    EXPECT_EQ(decode(bad).found, Found::malformed) << bad;
  }
  EXPECT_EQ(decode("0000000000000001\r\nx\r\n0\r\n\r\n").found, Found::complete);
}

TEST(ChunkDecoder, refuses_a_chunk_without_its_line_end) {
  for (const char* bad : {"1\r\nxy", "1\r\nx\n", "1\r\nx\rY", "1\r\nx0\r\n"}) {
    EXPECT_EQ(decode(bad).found, Found::malformed) << bad;
  }
}

TEST(ChunkDecoder, checks_and_counts_extensions) {
  for (const char* good :
       {"0;a\r\n\r\n", "0;a=b\r\n\r\n", "0;a=\"b c\"\r\n\r\n", "0;a=\"\\\"\"\r\n\r\n", "0;a;b=c\r\n\r\n"}) {
    EXPECT_EQ(decode(good).found, Found::complete) << good;
  }
  for (const char* bad : {"0;\r\n", "0; a\r\n", "0;a=\r\n", "0;a b\r\n", "0;a=\"b\r\n", "0;a=\"b\"c\r\n", "0;=b\r\n",
                          "0;a=b=c\r\n", "0;a\rb", "0;a\n", "0;a=\"\\\r\n"}) {
    EXPECT_EQ(decode(bad).found, Found::malformed) << bad;
  }
  EXPECT_EQ(decode("0;123456789\r\n\r\n").found, Found::complete);
  EXPECT_EQ(decode("0;1234567890\r\n\r\n").found, Found::malformed);
  EXPECT_EQ(decode("1;1234\r\nx\r\n1;5678\r\ny\r\n0\r\n\r\n").found, Found::complete);
  EXPECT_EQ(decode("1;1234\r\nx\r\n1;56789\r\ny\r\n0\r\n\r\n").found, Found::malformed);
}

TEST(ChunkDecoder, keeps_the_bodys_limit_before_its_bytes_come) {
  EXPECT_EQ(decode("14\r\n").found, Found::more);
  EXPECT_EQ(decode("15\r\n").found, Found::body_limit);
  EXPECT_EQ(decode("A\r\n0123456789\r\nB\r\n").found, Found::body_limit);
  EXPECT_EQ(decode("ffffffffffffffff\r\n").found, Found::body_limit);
  EXPECT_EQ(decode("1\r\nx\r\nffffffffffffffff\r\n").found, Found::body_limit);
}

TEST(ChunkDecoder, checks_counts_and_drops_trailers) {
  EXPECT_EQ(decode("0\r\nA: b\r\nC:\r\n\r\n").found, Found::complete);
  EXPECT_EQ(decode("0\r\nA: b\r\nC: d\r\nE: f\r\n\r\n").found, Found::trailer_limit);
  EXPECT_EQ(decode("0\r\nA: 123456789\r\n\r\n").found, Found::complete);
  EXPECT_EQ(decode("0\r\nA: 1234567890\r\n\r\n").found, Found::trailer_limit);
  for (const char* bad : {"0\r\n: b\r\n", "0\r\nA\r\n", "0\r\n A: b\r\n", "0\r\nA : b\r\n", "0\r\nA: b\n",
                          "0\r\nA: b\rC", "0\r\nA: \x01\r\n", "0\r\n\n", "0\r\n\rX"}) {
    EXPECT_EQ(decode(bad).found, Found::malformed) << bad;
  }
}

}  // namespace
}  // namespace parkbench::http
