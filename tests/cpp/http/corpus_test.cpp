#include "http/corpus.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

namespace parkbench::http {
namespace {

/// As much of JSON as the corpus needs: strings (bytes as characters up to \u00ff), whole numbers, lists, one object.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  BadRequest entry() {
    BadRequest found;
    expect('{');
    do {
      const std::string key = string();
      expect(':');
      if (key == "line") {
        found.line = number();
      } else if (key == "name") {
        found.name = string();
      } else if (key == "bytes") {
        found.bytes = bytes();
      } else if (key == "expect") {
        found.expect = strings();
      } else if (key == "server") {
        strings();
      } else {
        string();
      }
    } while (next(','));
    expect('}');
    return found;
  }

 private:
  char look() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ == text_.size()) throw std::runtime_error("the corpus has a line that ends too early");
    return text_[at_];
  }
  bool next(char wanted) {
    if (look() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!next(wanted)) throw std::runtime_error(std::string("the corpus lacks a ") + wanted + " in " + text_);
  }
  int number() {
    look();
    std::size_t length = 0;
    const int value = std::stoi(text_.substr(at_), &length);
    at_ += length;
    return value;
  }
  std::string string() {
    expect('"');
    std::string found;
    for (; text_.at(at_) != '"'; ++at_) {
      if (text_[at_] != '\\') {
        found += text_[at_];
        continue;
      }
      const char kind = text_.at(++at_);
      if (kind == 'u') {
        found += static_cast<char>(std::stoi(text_.substr(at_ + 1, 4), nullptr, 16));
        at_ += 4;
      } else {
        const std::string kinds = "rntbf", means = "\r\n\t\b\f";
        const std::size_t which = kinds.find(kind);
        found += which == std::string::npos ? kind : means[which];
      }
    }
    ++at_;
    return found;
  }
  std::vector<std::string> strings() {
    std::vector<std::string> found;
    expect('[');
    do found.push_back(string());
    while (next(','));
    expect(']');
    return found;
  }
  std::string bytes() {
    if (look() == '"') return string();
    std::string found;
    expect('[');
    do {
      if (look() == '"') {
        found += string();
        continue;
      }
      expect('[');
      const std::string piece = string();
      expect(',');
      for (int left = number(); left > 0; --left) found += piece;
      expect(']');
    } while (next(','));
    expect(']');
    return found;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<BadRequest> bad_requests() {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "corpus" / "bad_requests.jsonl");
  if (!file) throw std::runtime_error("corpus/bad_requests.jsonl is missing");
  std::vector<BadRequest> entries;
  for (std::string line; std::getline(file, line);) entries.push_back(Reader(line).entry());
  return entries;
}

namespace {

TEST(Corpus, has_something_for_each_line_that_needs_no_socket_and_no_clock) {
  std::set<int> lines;
  for (const BadRequest& entry : bad_requests()) {
    lines.insert(entry.line);
    EXPECT_FALSE(entry.bytes.empty()) << entry.name;
    EXPECT_FALSE(entry.expect.empty()) << entry.name;
  }
  const std::set<int> elsewhere{40, 41, 42, 43, 46};  // server_times_test.cpp, and the servers' own tests
  for (int line = 1; line <= 46; ++line) EXPECT_EQ(lines.contains(line), !elsewhere.contains(line)) << line;
}

}  // namespace
}  // namespace parkbench::http
