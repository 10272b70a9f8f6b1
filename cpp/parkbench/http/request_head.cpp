#include "parkbench/http/request_head.hpp"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <charconv>

#include "parkbench/http/characters.hpp"
#include "parkbench/http/coding.hpp"
#include "parkbench/http/header_lines.hpp"
#include "parkbench/http/target.hpp"

namespace parkbench::http {
namespace {

namespace beast = boost::beast::http;
using boost::beast::string_view;
using BeastError = boost::beast::error_code;

std::string_view plain(string_view text) { return {text.data(), text.size()}; }

/// The methods a router may know; the others are answered 501 here.
bool known_method(beast::verb verb, Method& method) {
  switch (verb) {
    case beast::verb::get:
      method = Method::get;
      return true;
    case beast::verb::head:
      method = Method::head;
      return true;
    case beast::verb::post:
      method = Method::post;
      return true;
    case beast::verb::put:
      method = Method::put;
      return true;
    case beast::verb::delete_:
      method = Method::del;
      return true;
    case beast::verb::options:
      method = Method::options;
      return true;
    case beast::verb::patch:
      method = Method::patch;
      return true;
    case beast::verb::trace:
      method = Method::trace;
      return true;
    default:
      return false;
  }
}

class Parser final : public beast::basic_parser<true> {
 public:
  Parser(const char* begin, const Limits& limits, RequestHead& head) : begin_(begin), limits_(limits), head_(head) {
    header_limit(std::uint32_t{1} << 30);  // the scanner has seen to it
    skip(true);                            // of the body; the session cuts it out itself
  }
  const Refusal& refusal() const { return refusal_; }

 private:
  void refuse(std::uint16_t status, const char* why, BeastError& error) {
    refusal_ = {status, why};
    error = beast::error::bad_value;
  }
  Place place(std::string_view text) const {
    return {static_cast<std::uint32_t>(text.data() - begin_), static_cast<std::uint32_t>(text.size())};
  }

  void on_request_impl(beast::verb verb, string_view, string_view target, int version, BeastError& error) override {
    head_.minor_version = version == 10 ? 0 : 1;
    if (!known_method(verb, head_.method)) return refuse(501, "this method is not known here", error);
    if (target.size() > limits_.target) return refuse(414, "the target is too long", error);
    Target parts;
    if (const char* why = split_target(plain(target), head_.method == Method::options, parts)) {
      return refuse(400, why, error);
    }
    head_.target = place(plain(target));
    head_.path = parts.path.empty() ? Place{head_.target.at, 0} : place(parts.path);
    head_.query = parts.query.empty() ? Place{head_.target.at, 0} : place(parts.query);
  }

  void on_field_impl(beast::field field, string_view, string_view value, BeastError& error) override {
    switch (field) {
      case beast::field::host:
        if (++hosts_ > 1) return refuse(400, "there is more than one Host", error);
        if (!is_host(plain(value))) return refuse(400, "Host is not a host", error);
        break;
      case beast::field::content_length:
        read_length(plain(value), error);
        break;
      case beast::field::transfer_encoding:
        read_coding(plain(value), error);
        break;
      case beast::field::expect:
        if (!equal_ignoring_case(plain(value), "100-continue")) {
          return refuse(417, "only 100-continue can be expected", error);
        }
        head_.expects_continue = head_.minor_version > 0;
        break;
      default:
        break;
    }
  }

  void read_length(std::string_view value, BeastError& error) {
    if (++lengths_ > 1) return refuse(400, "there is more than one Content-Length", error);
    // 19 digits always fit; a list or a sign is refused, though Beast takes a list of equal numbers.
    if (value.empty() || value.size() > 19 || !kDigits.has_all_of(value)) {
      return refuse(400, "Content-Length is not a number", error);
    }
    std::from_chars(value.data(), value.data() + value.size(), head_.content_length);
  }

  void read_coding(std::string_view value, BeastError& error) {
    if (++codings_ > 1) return refuse(400, "there is more than one Transfer-Encoding", error);
    if (head_.minor_version == 0) return refuse(400, "HTTP/1.0 has no Transfer-Encoding", error);
    switch (transfer_coding(value)) {
      case Coding::chunked:
        head_.chunked = true;
        break;
      case Coding::unknown:
        return refuse(501, "only the transfer coding chunked is known here", error);
      case Coding::malformed:
        return refuse(400, "Transfer-Encoding is not to be trusted", error);
    }
  }

  void on_header_impl(BeastError& error) override {
    if (hosts_ == 0 && head_.minor_version > 0) return refuse(400, "Host is missing", error);
    if (codings_ > 0 && lengths_ > 0)
      return refuse(400, "Content-Length and Transfer-Encoding exclude each other", error);
    if (head_.content_length > limits_.body) return refuse(413, "the body is too long", error);
    head_.keep_alive = keep_alive();
  }

  void on_response_impl(int, string_view, int, BeastError&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}
  std::size_t on_body_impl(string_view body, BeastError&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, BeastError&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, BeastError&) override { return body.size(); }
  void on_finish_impl(BeastError&) override {}

  const char* begin_;
  const Limits& limits_;
  RequestHead& head_;
  Refusal refusal_;
  unsigned hosts_ = 0;
  unsigned lengths_ = 0;
  unsigned codings_ = 0;
};

/// Whether a first line that Beast refuses has three parts of which the last is `HTTP/d.d`: only its version is wrong.
bool other_version(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/";
  if (std::count(line.begin(), line.end(), ' ') != 2) return false;
  const std::string_view last = line.substr(line.rfind(' ') + 1);
  return last.size() == kVersion.size() + 3 && last.starts_with(kVersion) && kDigits.has(last[5]) && last[6] == '.' &&
         kDigits.has(last[7]);
}

}  // namespace

Refusal read_request_head(std::string_view bytes, std::size_t first_line, const Limits& limits, RequestHead& head) {
  head = {};
  Parser parser(bytes.data(), limits, head);
  BeastError error;
  const std::size_t taken = parser.put(boost::asio::const_buffer(bytes.data(), first_line), error);
  if (parser.refusal().status != 0) return parser.refusal();
  if (taken < first_line) {
    if (error == beast::error::bad_version && other_version(bytes.substr(0, first_line - 2))) {
      return {505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
    }
    return {400, kMalformedFirstLine};
  }
  if (bytes.size() == first_line) return {};
  parser.put(boost::asio::const_buffer(bytes.data() + first_line, bytes.size() - first_line), error);
  if (parser.refusal().status != 0) return parser.refusal();
  if (error) return {400, "a header line is malformed"};
  return {};
}

}  // namespace parkbench::http
