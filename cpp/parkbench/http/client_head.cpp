#include "parkbench/http/client_head.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <charconv>

#include "parkbench/http/characters.hpp"
#include "parkbench/http/coding.hpp"

namespace parkbench::http {
namespace {

namespace beast = boost::beast::http;
using boost::beast::string_view;
using BeastError = boost::beast::error_code;

class Parser final : public beast::basic_parser<false> {
 public:
  Parser(bool head_request, AnswerHead& head) : head_request_(head_request), head_(head) {
    header_limit(std::uint32_t{1} << 30);  // the scanner has seen to it
    body_limit(boost::none);               // the session cuts the body out itself
  }
  const char* why() const { return why_; }

 private:
  void refuse(const char* why, BeastError& error) {
    why_ = why;
    error = beast::error::bad_value;
  }

  void on_response_impl(int status, string_view, int version, BeastError& error) override {
    if (status < 100) return refuse("the status is below 100", error);
    old_ = version == 10;
    head_.status = status;
  }

  void on_field_impl(beast::field field, string_view, string_view text, BeastError& error) override {
    const std::string_view value(text.data(), text.size());
    if (field == beast::field::content_length) {
      if (++lengths_ > 1) return refuse("there is more than one Content-Length", error);
      if (value.empty() || value.size() > 19 || !kDigits.has_all_of(value)) {
        return refuse("Content-Length is not a number", error);
      }
      std::from_chars(value.data(), value.data() + value.size(), head_.content_length);
    } else if (field == beast::field::transfer_encoding) {
      if (++codings_ > 1) return refuse("there is more than one Transfer-Encoding", error);
      if (old_) return refuse("HTTP/1.0 has no Transfer-Encoding", error);
      if (transfer_coding(value) != Coding::chunked) return refuse("the transfer coding is not chunked", error);
    }
  }

  void on_header_impl(BeastError& error) override {
    using Framing = AnswerHead::Framing;
    if (codings_ > 0 && lengths_ > 0) {
      return refuse("Content-Length and Transfer-Encoding exclude each other", error);
    }
    if (head_request_ || head_.status < 200 || head_.status == 204 || head_.status == 304) {
      head_.framing = Framing::none;
    } else if (codings_ > 0) {
      head_.framing = Framing::chunked;
    } else {
      head_.framing = lengths_ > 0 ? Framing::length : Framing::until_close;
    }
    head_.keep_alive = keep_alive() && head_.framing != Framing::until_close;
  }

  void on_request_impl(beast::verb, string_view, string_view, int, BeastError&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}
  std::size_t on_body_impl(string_view body, BeastError&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, BeastError&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, BeastError&) override { return body.size(); }
  void on_finish_impl(BeastError&) override {}

  bool head_request_;
  AnswerHead& head_;
  const char* why_ = nullptr;
  unsigned lengths_ = 0;
  unsigned codings_ = 0;
  bool old_ = false;
};

}  // namespace

const char* read_answer_head(std::string_view bytes, bool head_request, AnswerHead& head) {
  head = {};
  Parser parser(head_request, head);
  if (head_request) parser.skip(true);  // else a head without length counts as one that the close ends
  BeastError error;
  parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (parser.why() != nullptr) return parser.why();
  if (error || !parser.is_header_done()) return "the head is malformed";
  return nullptr;
}

}  // namespace parkbench::http
