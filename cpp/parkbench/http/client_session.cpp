#include "parkbench/http/client_session.hpp"

#include <algorithm>

#include "parkbench/http/byte_buffer.hpp"
#include "parkbench/http/chunk_decoder.hpp"
#include "parkbench/http/client_head.hpp"
#include "parkbench/http/head_scanner.hpp"
#include "parkbench/http/header_lines.hpp"

namespace parkbench::http {
namespace {

using Framing = AnswerHead::Framing;

constexpr std::size_t kKept = 4 * 1024;        // a larger buffer is given back after its answer
constexpr std::size_t kReadAhead = 64 * 1024;  // where a body need not be kept, no buffer grows beyond this

}  // namespace

class ClientSession::Impl {
 public:
  explicit Impl(ClientLimits limits) : limits_(limits) {}

  State state() const { return state_; }

  void start(std::string_view bytes, bool head) {
    if (state_ != State::idle) return fail(ErrorCode::internal, "a request was started while another was under way");
    out_.assign(bytes);
    sent_ = 0;
    head_request_ = head;
    state_ = State::sending;
  }
  std::string_view pending() const { return std::string_view(out_).substr(sent_); }
  void written(std::size_t bytes) {
    sent_ += bytes;
    if (sent_ == out_.size() && state_ == State::sending) state_ = State::reading;
  }

  std::span<char> space() {
    std::size_t most = limits_.header_block + 1;
    if (in_body_) {
      most = keep_body_ ? body_at_ + (length_left_ > 0 ? body_size_ + length_left_ : limits_.body + kReadAhead)
                        : std::max(body_at_ + std::size_t{ByteBuffer::kFirst}, kReadAhead);
    }
    return in_.space(most);
  }

  void received(std::size_t bytes) {
    if (bytes == 0 || state_ == State::failed) return;
    in_.added(bytes);
    if (state_ == State::idle || state_ == State::done) {
      return fail(ErrorCode::protocol_error, "bytes came that nobody had asked for");
    }
    answered_ = true;
    if (in_body_) {
      read_body();
    } else {
      read_head();
    }
  }

  void ended() {
    if (!waiting()) return closed_between();
    if (in_body_ && head_.framing == Framing::until_close) {
      head_.keep_alive = false;
      return finish();
    }
    if (answered_) return fail(ErrorCode::truncated, "the peer closed in the middle of its answer");
    if (used_before_) return fail(ErrorCode::stale_connection, "the peer had closed the kept connection");
    fail(ErrorCode::closed_before_response, "the peer closed without an answer");
  }

  void broken() {
    if (!waiting()) return closed_between();
    if (in_body_) return fail(ErrorCode::reset_body, "the connection broke within the body of the answer");
    if (used_before_ && !answered_) return fail(ErrorCode::stale_connection, "the kept connection had been closed");
    fail(ErrorCode::reset_headers, "the connection broke before the head of the answer was complete");
  }

  int status() const { return head_.status; }
  std::string_view body() const {
    return keep_body_ && in_body_ ? in_.view().substr(body_at_, body_size_) : std::string_view();
  }
  std::string_view header(std::string_view name) const {
    if (head_.status == 0 || state_ == State::idle) return {};
    return find_header(in_.view().substr(scanner_.headers(), scanner_.end() - 2 - scanner_.headers()), name)
        .value_or("");
  }
  std::size_t body_bytes() const { return body_bytes_; }
  void keep_body(bool keep) { keep_body_ = keep; }
  bool keep_alive() const { return state_ == State::done && head_.keep_alive && sent_ == out_.size(); }
  const Error& error() const { return error_; }

  void reset() {
    if (!keep_alive()) return fail(ErrorCode::internal, "a connection was to be used again that must be closed");
    used_before_ = true;
    in_.used(in_.size());
    if (in_.capacity() > kKept) in_.release();
    if (out_.capacity() > kKept) std::string().swap(out_);
    out_.clear();
    sent_ = 0;
    scanner_ = {};
    chunks_ = {};
    head_ = {};
    in_body_ = answered_ = false;
    body_bytes_ = body_size_ = 0;
    length_left_ = 0;
    state_ = State::idle;
  }

 private:
  bool waiting() const { return state_ == State::sending || state_ == State::reading; }

  void closed_between() {
    head_.keep_alive = false;
    if (state_ == State::idle) fail(ErrorCode::stale_connection, "the peer closed the connection between two requests");
  }

  void fail(ErrorCode code, const char* why) {
    if (state_ == State::failed) return;
    state_ = State::failed;
    error_ = {code, why};
  }

  void finish() {
    state_ = State::done;
    const std::size_t kept = body_at_ + (keep_body_ ? body_size_ : 0);
    if (in_.size() > kept) fail(ErrorCode::protocol_error, "there is more behind the end of the answer");
  }

  void read_head() {
    // A client trusts less: no empty line in front, one limit for lines and block.
    const HeadLimits limits{limits_.header_block, limits_.header_block, limits_.header_block, limits_.header_block, 0};
    for (;;) {
      const std::string_view bytes = in_.view();
      switch (scanner_.scan(bytes, limits)) {
        case HeadScanner::Found::more:
          return;
        case HeadScanner::Found::fault:
          return refuse(scanner_.fault());
        case HeadScanner::Found::complete:
          break;
      }
      if (const char* why = read_answer_head(bytes.substr(0, scanner_.end()), head_request_, head_)) {
        return fail(ErrorCode::protocol_error, why);
      }
      if (head_.status == 101) return fail(ErrorCode::protocol_error, "the peer switches protocols, unasked");
      if (head_.status >= 200) break;
      in_.used(scanner_.end());
      scanner_ = {};
      head_ = {};
      if (in_.empty()) return;
    }
    in_body_ = true;
    body_at_ = scanner_.end();
    if (head_.content_length > limits_.body && head_.framing == Framing::length) return too_large();
    length_left_ = head_.framing == Framing::length ? head_.content_length : 0;
    read_body();
  }

  void refuse(HeadScanner::Fault fault) {
    using Fault = HeadScanner::Fault;
    switch (fault) {
      case Fault::first_line_limit:
      case Fault::line_limit:
      case Fault::block_limit:
      case Fault::lines_limit:
        return fail(ErrorCode::header_too_large, "the head of the answer is too long");
      default:
        return fail(ErrorCode::protocol_error, "the head of the answer is malformed");
    }
  }

  void too_large() { fail(ErrorCode::body_too_large, "the body of the answer is too long"); }

  /// What lies behind the body so far is new.
  void read_body() {
    switch (head_.framing) {
      case Framing::none:
        return finish();
      case Framing::length: {
        const std::size_t piece = std::min<std::uint64_t>(length_left_, fresh());
        length_left_ -= piece;
        take(piece);
        if (length_left_ == 0) finish();
        return;
      }
      case Framing::until_close:
        take(fresh());
        if (body_bytes_ > limits_.body) too_large();
        return;
      case Framing::chunked:
        return read_chunks();
    }
  }

  std::size_t fresh() const { return in_.size() - body_at_ - (keep_body_ ? body_size_ : 0); }

  /// The next `bytes` are body as they are.
  void take(std::size_t bytes) {
    body_bytes_ += bytes;
    if (keep_body_) {
      body_size_ += bytes;
    } else if (fresh() == bytes) {
      in_.shorten(body_at_);
    } else {
      in_.cut(body_at_, bytes);
    }
  }

  void read_chunks() {
    const ChunkLimits limits{limits_.body, limits_.header_block, limits_.header_block, limits_.header_block,
                             limits_.header_block};
    const std::size_t at = body_at_ + (keep_body_ ? body_size_ : 0);
    char* from = in_.data() + at;
    const auto [found, used, decoded] = chunks_.decode(from, in_.size() - at, keep_body_ ? from : nullptr, limits);
    body_bytes_ += decoded;
    const std::size_t kept = keep_body_ ? decoded : 0;
    body_size_ += kept;
    in_.cut(at + kept, used - kept);
    switch (found) {
      case ChunkDecoder::Found::more:
        return;
      case ChunkDecoder::Found::complete:
        return finish();
      case ChunkDecoder::Found::malformed:
        return fail(ErrorCode::protocol_error, "the body's chunks are malformed");
      case ChunkDecoder::Found::body_limit:
        return too_large();
      case ChunkDecoder::Found::trailer_limit:
        return fail(ErrorCode::header_too_large, "the trailers of the answer are too long");
    }
  }

  ClientLimits limits_;
  State state_ = State::idle;
  bool head_request_ = false;
  bool keep_body_ = true;
  bool in_body_ = false;
  bool answered_ = false;
  bool used_before_ = false;
  std::string out_;
  std::size_t sent_ = 0;
  ByteBuffer in_;
  HeadScanner scanner_;
  ChunkDecoder chunks_;
  AnswerHead head_;
  std::size_t body_at_ = 0;
  std::size_t body_size_ = 0;  // of the body kept
  std::size_t body_bytes_ = 0;
  std::uint64_t length_left_ = 0;
  Error error_;
};

ClientSession::ClientSession(ClientLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
ClientSession::~ClientSession() = default;
ClientSession::ClientSession(ClientSession&&) noexcept = default;
ClientSession& ClientSession::operator=(ClientSession&&) noexcept = default;

ClientSession::State ClientSession::state() const { return impl_->state(); }
void ClientSession::start(std::string_view bytes, bool head) { impl_->start(bytes, head); }
std::string_view ClientSession::pending() const { return impl_->pending(); }
void ClientSession::written(std::size_t bytes) { impl_->written(bytes); }
std::span<char> ClientSession::space() { return impl_->space(); }
void ClientSession::received(std::size_t bytes) { impl_->received(bytes); }
void ClientSession::ended() { impl_->ended(); }
void ClientSession::broken() { impl_->broken(); }
int ClientSession::status() const { return impl_->status(); }
std::string_view ClientSession::body() const { return impl_->body(); }
std::string_view ClientSession::header(std::string_view name) const { return impl_->header(name); }
std::size_t ClientSession::body_bytes() const { return impl_->body_bytes(); }
void ClientSession::keep_body(bool keep) { impl_->keep_body(keep); }
bool ClientSession::keep_alive() const { return impl_->keep_alive(); }
const Error& ClientSession::error() const { return impl_->error(); }
void ClientSession::reset() { impl_->reset(); }

std::string get_request(std::string_view target, std::string_view host, std::string_view headers) {
  std::string request;
  request.reserve(32 + target.size() + host.size() + headers.size());
  request.append("GET ").append(target).append(" HTTP/1.1\r\nHost: ").append(host).append("\r\n");
  return request.append(headers).append("\r\n");
}

}  // namespace parkbench::http
