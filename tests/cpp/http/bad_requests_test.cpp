#include <gtest/gtest.h>

#include "http/corpus.hpp"
#include "http/drive.hpp"

namespace parkbench::http {
namespace {

enum class Cut { whole, single, at_line_ends };

std::vector<std::string> cut(const std::string& bytes, Cut how) {
  std::vector<std::string> pieces;
  bool apart = true;
  for (const char byte : bytes) {
    const bool end = byte == '\r' || byte == '\n';
    if (apart || how == Cut::single || (how == Cut::at_line_ends && end)) pieces.emplace_back();
    pieces.back() += byte;
    apart = how == Cut::at_line_ends && end;
  }
  return pieces;
}

/// The statuses of the answers in `written`, as the corpus writes them.
std::vector<std::string> statuses(std::string_view written) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  std::vector<std::string> found;
  while (!written.empty()) {
    const std::size_t end = written.find("\r\n\r\n");
    if (!written.starts_with(kVersion) || end == std::string_view::npos) return {"garbage"};
    found.emplace_back(written.substr(kVersion.size(), 3));
    const std::size_t length = written.substr(0, end).find(kLength);
    const bool bodiless = length == std::string_view::npos || written.substr(end + 4).starts_with(kVersion);  // HEAD
    const int body = bodiless ? 0 : std::stoi(std::string(written.substr(length + kLength.size(), 10)));
    written.remove_prefix(std::min(written.size(), end + 4 + static_cast<std::size_t>(body)));
  }
  return found;
}

class BadRequests : public testing::TestWithParam<Cut> {};

TEST_P(BadRequests, are_answered_as_the_table_says) {
  for (const BadRequest& entry : bad_requests()) {
    SCOPED_TRACE("line " + std::to_string(entry.line) + ": " + entry.name);
    Driven server;
    server.feed(cut(entry.bytes, GetParam()));
    std::vector<std::string> found = statuses(server.written);
    if (server.closes) {
      if (found.empty()) found.emplace_back();
      found.back() += 'c';
    } else if (!server.session.idle()) {
      found.emplace_back("wait");
    }
    EXPECT_EQ(found, entry.expect) << server.written.substr(0, 300);
  }
}

TEST_P(BadRequests, get_the_same_bytes_however_they_are_cut) {
  for (const BadRequest& entry : bad_requests()) {
    Driven server;
    server.feed(cut(entry.bytes, GetParam()));
    Driven other;
    other.feed(entry.bytes);
    EXPECT_EQ(server.written, other.written) << "line " << entry.line << ": " << entry.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Cuts, BadRequests, testing::Values(Cut::whole, Cut::single, Cut::at_line_ends));

}  // namespace
}  // namespace parkbench::http
