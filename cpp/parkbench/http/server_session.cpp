#include "parkbench/http/server_session.hpp"

#include <charconv>
#include <cstring>

#include "parkbench/http/answer_head.hpp"
#include "parkbench/http/byte_buffer.hpp"
#include "parkbench/http/characters.hpp"
#include "parkbench/http/chunk_decoder.hpp"
#include "parkbench/http/head_scanner.hpp"
#include "parkbench/http/outbox.hpp"
#include "parkbench/http/request_head.hpp"

namespace parkbench::http {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::size_t kAroundTarget = 64;  // method, blanks and version of a first line
constexpr unsigned kBlankLines = 2;        // some clients send one CRLF too many after a body

Refusal refusal_of(HeadScanner::Fault fault) {
  using Fault = HeadScanner::Fault;
  switch (fault) {
    case Fault::none:
      break;
    case Fault::control:
      return {400, "there is a control character in the head"};
    case Fault::bare_line_feed:
      return {400, "a line ends in LF without CR"};
    case Fault::bare_return:
      return {400, "there is a CR without LF"};
    case Fault::blank_lines:
      return {400, "there are empty lines before the request"};
    case Fault::folded:
      return {400, "a header line begins with a blank"};
    case Fault::first_line_limit:
      return {414, "the first line is too long"};
    case Fault::line_limit:
      return {431, "a header line is too long"};
    case Fault::block_limit:
      return {431, "the head is too long"};
    case Fault::lines_limit:
      return {431, "there are too many header lines"};
  }
  return {};
}

}  // namespace

class ServerSession::Impl {
 public:
  Impl(const Limits& limits, Ns now, UnixSeconds wall) : limits_(&limits), wall_(wall), since_(now) {}

  Step step() const {
    if (!out_.empty()) return Step::write;
    switch (phase_) {
      case Phase::head:
      case Phase::body:
      case Phase::linger:
        return Step::read;
      case Phase::handling:
      case Phase::streaming:
        return Step::handle;
      case Phase::shut:
        return Step::shut_down;
      case Phase::answered:
      case Phase::closed:
        break;
    }
    return Step::close;
  }

  Deadline deadline() const {
    if (!out_.empty()) return Deadline::at(progress_ + limits_->write_time);
    switch (phase_) {
      case Phase::head:
        return Deadline::at(since_ + (fresh_ || begun() ? limits_->header_time : limits_->idle_time));
      case Phase::body:
        return Deadline::at(since_ + limits_->body_time);
      case Phase::linger:
        return Deadline::at(since_ + limits_->linger_time);
      default:
        return Deadline::never();
    }
  }

  std::span<char> space() {
    std::size_t most = limits_->header_block + kAroundTarget;
    if (phase_ == Phase::body) {
      most = body_at_ + (head_.chunked ? limits_->body + ByteBuffer::kFirst : head_.content_length);
    }
    return in_.space(most);
  }

  void received(std::size_t bytes, Ns now) {
    if (phase_ == Phase::linger) return;  // dropped: nothing was added
    in_.added(bytes);
    const bool was_begun = begun_;
    if (phase_ == Phase::head) {
      read_head(now);
      if (begun_ && !was_begun && !fresh_ && phase_ == Phase::head) since_ = now;
    } else if (phase_ == Phase::body) {
      read_body(now);
    }
    if (in_.empty() && out_.empty() && phase_ == Phase::head) in_.release();
  }

  void ended() {
    ended_ = true;
    if (step() == Step::read || step() == Step::shut_down) phase_ = Phase::closed;
  }

  void expired(Ns now) {
    if (!deadline().passed(now)) return;
    if (!out_.empty()) {
      out_.clear();
      phase_ = Phase::closed;
    } else if (phase_ == Phase::body) {
      refuse({408, "the body took too long"}, now);
    } else if (phase_ == Phase::head && begun()) {
      refuse({408, "the head took too long"}, now);
    } else {
      phase_ = Phase::closed;
    }
  }

  const Request& request() const { return request_; }
  Ns complete_at() const { return since_; }

  void respond(const Response& response, Ns now) {
    in_.used(used_);
    const bool body = has_body(response.status);
    answer(response, body ? Framing::length : Framing::none, body && head_.method != Method::head, now);
    phase_ = Phase::answered;
  }

  void begin_stream(const Response& response, Ns now) {
    in_.used(used_);
    chunked_out_ = head_.minor_version > 0;
    if (!chunked_out_) close_after_ = true;
    answer(response, chunked_out_ ? Framing::chunked : Framing::until_close, false, now);
    phase_ = Phase::streaming;
  }

  void stream(std::string_view piece, Ns now) {
    if (piece.empty() || phase_ != Phase::streaming || head_.method == Method::head) return;
    if (out_.empty()) progress_ = now;
    if (chunked_out_) {
      char size[20];
      char* end = std::to_chars(size, size + 16, piece.size(), 16).ptr;
      *end++ = '\r';
      *end++ = '\n';
      out_.append({size, static_cast<std::size_t>(end - size)});
    }
    out_.append(piece);
    if (chunked_out_) out_.append("\r\n");
  }

  void end_stream(Ns now) {
    if (phase_ != Phase::streaming) return;
    if (out_.empty()) progress_ = now;
    if (chunked_out_ && head_.method != Method::head) out_.append("0\r\n\r\n");
    phase_ = Phase::answered;
    if (out_.empty()) all_written(now);
  }

  void abort_stream() {
    if (phase_ != Phase::streaming) return;
    must_reset_ = !chunked_out_;
    out_.clear();
    phase_ = Phase::closed;
  }

  bool streaming() const { return phase_ == Phase::streaming; }
  std::string_view pending() const { return out_.pending(); }

  void written(std::size_t bytes, Ns now) {
    out_.written(bytes);
    progress_ = now;
    if (!out_.empty()) return;
    if (phase_ == Phase::answered) {
      all_written(now);
    } else if (phase_ == Phase::body) {
      since_ = now;
      read_body(now);
    }
  }

  void shut_down_done(Ns now) {
    if (phase_ != Phase::shut) return;
    in_.release();
    since_ = now;
    phase_ = ended_ ? Phase::closed : Phase::linger;
  }

  void stop_keep_alive() {
    stopping_ = true;
    if (idle()) phase_ = Phase::closed;
  }

  bool idle() const { return phase_ == Phase::head && !begun() && out_.empty(); }
  int refused() const { return refused_; }
  bool must_reset() const { return must_reset_; }

 private:
  enum class Phase : unsigned char { head, body, handling, streaming, answered, shut, linger, closed };

  bool begun() const { return begun_; }

  void read_head(Ns now) {
    const HeadLimits limits{limits_->target + kAroundTarget, limits_->header_line, limits_->header_block,
                            limits_->headers, kBlankLines};
    const std::string_view bytes = in_.view();
    const HeadScanner::Found found = scanner_.scan(bytes, limits);
    begun_ = scanner_.begun(bytes);
    const std::size_t first = scanner_.first_line();
    const std::size_t headers = scanner_.headers();
    Refusal refusal;
    if (found == HeadScanner::Found::complete) {
      refusal = read_request_head(bytes.substr(first, scanner_.end() - first), headers - first, *limits_, head_);
    } else if (headers != 0 && !first_line_read_) {
      // Before what may be wrong behind it, which in another cut of the same bytes would not be here yet.
      refusal = read_request_head(bytes.substr(first, headers - first), headers - first, *limits_, head_);
      first_line_read_ = true;
    } else if (headers == 0 && begun_ && !kTokenCharacters.has(bytes[first])) {
      refusal = {400, kMalformedFirstLine};  // another protocol's bytes may never hold an end of line
    }
    if (refusal.status == 0) refusal = refusal_of(scanner_.fault());
    if (refusal.status != 0) return refuse(refusal, now);
    if (found == HeadScanner::Found::complete) head_complete(now);
  }

  void head_complete(Ns now) {
    body_at_ = used_ = static_cast<std::uint32_t>(scanner_.end());
    body_size_ = 0;
    since_ = now;
    if (!head_.chunked && head_.content_length == 0) return request_complete(now);
    phase_ = Phase::body;
    if (!head_.expects_continue) return read_body(now);
    // Sent even if the body is here already: what is answered must not hang on how the bytes came.
    out_.send(kContinue);
    progress_ = now;
  }

  void read_body(Ns now) {
    if (!head_.chunked) {
      if (in_.size() - body_at_ < head_.content_length) return;
      body_size_ = static_cast<std::uint32_t>(head_.content_length);
      used_ = body_at_ + body_size_;
      return request_complete(now);
    }
    const ChunkLimits limits{limits_->body, limits_->chunk_extensions, limits_->header_block, limits_->header_line,
                             limits_->headers};
    char* bytes = in_.data();
    const auto [found, used, decoded] =
        chunks_.decode(bytes + used_, in_.size() - used_, bytes + body_at_ + body_size_, limits);
    body_size_ += static_cast<std::uint32_t>(decoded);
    used_ += static_cast<std::uint32_t>(used);
    switch (found) {
      case ChunkDecoder::Found::more:  // all bytes are used: what is left of them lies decoded behind the head
        used_ = body_at_ + body_size_;
        in_.shorten(used_);
        return;
      case ChunkDecoder::Found::complete:
        return request_complete(now);
      case ChunkDecoder::Found::malformed:
        return refuse({400, "the body's chunks are malformed"}, now);
      case ChunkDecoder::Found::body_limit:
        return refuse({413, "the body is too long"}, now);
      case ChunkDecoder::Found::trailer_limit:
        return refuse({431, "the trailers are too long"}, now);
    }
  }

  void request_complete(Ns now) {
    const char* bytes = in_.data();
    const char* line = bytes + scanner_.first_line();
    request_.method = head_.method;
    request_.target = head_.target.in(line);
    request_.path = head_.path.size > 0 ? head_.path.in(line) : std::string_view("/");
    request_.query = head_.query.in(line);
    request_.minor_version = head_.minor_version;
    request_.keep_alive = head_.keep_alive;
    request_.headers = {bytes + scanner_.headers(), scanner_.end() - 2 - scanner_.headers()};
    request_.body = {bytes + body_at_, body_size_};
    close_after_ = !head_.keep_alive;
    since_ = now;
    phase_ = Phase::handling;
  }

  void refuse(const Refusal& refusal, Ns now) {
    refused_ = refusal.status;
    in_.release();
    close_after_ = true;
    answer(error_response(refusal.status, refusal.why), Framing::length, head_.method != Method::head, now);
    phase_ = Phase::answered;
  }

  void answer(const Response& response, Framing framing, bool body, Ns now) {
    if (response.close || stopping_ || ended_) close_after_ = true;
    ConnectionHeader connection = ConnectionHeader::none;
    if (close_after_) {
      connection = ConnectionHeader::close;
    } else if (head_.minor_version == 0) {
      connection = ConnectionHeader::keep_alive;
    }
    // The buffer of requests is not read into before the answer has gone: its free end carries a small one for nothing.
    char* out = out_.room(answer_head_room(response) + (body ? response.body.size() : 0), in_.tail());
    char* end = write_answer_head(out, response, framing, connection, wall_());
    if (body) {
      std::memcpy(end, response.body.data(), response.body.size());
      end += response.body.size();
    }
    out_.send({out, static_cast<std::size_t>(end - out)});
    progress_ = now;
  }

  void all_written(Ns now) {
    out_.release();
    if (close_after_ || stopping_) {
      phase_ = ended_ ? Phase::closed : Phase::shut;
      return;
    }
    phase_ = Phase::head;
    fresh_ = begun_ = first_line_read_ = false;
    scanner_ = {};
    chunks_ = {};
    head_.method = Method::get;
    since_ = now;
    if (in_.empty()) {
      in_.release();
    } else {
      read_head(now);
    }
  }

  const Limits* limits_;
  UnixSeconds wall_;
  ByteBuffer in_;
  Outbox out_;
  HeadScanner scanner_;
  ChunkDecoder chunks_;
  RequestHead head_;
  Request request_;
  Ns since_;         // of the phase; of a head: connect, the last answer, or its first byte
  Ns progress_ = 0;  // of writing
  std::uint32_t body_at_ = 0;
  std::uint32_t body_size_ = 0;
  std::uint32_t used_ = 0;  // of the buffer, by this request
  std::uint16_t refused_ = 0;
  Phase phase_ = Phase::head;
  bool fresh_ = true;
  bool begun_ = false;
  bool first_line_read_ = false;
  bool close_after_ = false;
  bool chunked_out_ = false;
  bool ended_ = false;
  bool stopping_ = false;
  bool must_reset_ = false;
};

ServerSession::ServerSession(const Limits& limits, Ns now, UnixSeconds wall)
    : impl_(std::make_unique<Impl>(limits, now, wall)) {
  static_assert(sizeof(Impl) <= 400, "thousands of connections hold one each");
}
ServerSession::~ServerSession() = default;
ServerSession::ServerSession(ServerSession&&) noexcept = default;
ServerSession& ServerSession::operator=(ServerSession&&) noexcept = default;

ServerSession::Step ServerSession::step() const { return impl_->step(); }
Deadline ServerSession::deadline() const { return impl_->deadline(); }
std::span<char> ServerSession::space() { return impl_->space(); }
void ServerSession::received(std::size_t bytes, Ns now) { impl_->received(bytes, now); }
void ServerSession::ended(Ns) { impl_->ended(); }
void ServerSession::expired(Ns now) { impl_->expired(now); }
const Request& ServerSession::request() const { return impl_->request(); }
Ns ServerSession::request_complete_at() const { return impl_->complete_at(); }
void ServerSession::respond(const Response& response, Ns now) { impl_->respond(response, now); }
void ServerSession::begin_stream(const Response& head, Ns now) { impl_->begin_stream(head, now); }
void ServerSession::stream(std::string_view piece, Ns now) { impl_->stream(piece, now); }
void ServerSession::end_stream(Ns now) { impl_->end_stream(now); }
void ServerSession::abort_stream() { impl_->abort_stream(); }
bool ServerSession::streaming() const { return impl_->streaming(); }
std::string_view ServerSession::pending() const { return impl_->pending(); }
void ServerSession::written(std::size_t bytes, Ns now) { impl_->written(bytes, now); }
void ServerSession::shut_down_done(Ns now) { impl_->shut_down_done(now); }
void ServerSession::stop_keep_alive() { impl_->stop_keep_alive(); }
bool ServerSession::idle() const { return impl_->idle(); }
int ServerSession::refused() const { return impl_->refused(); }
bool ServerSession::must_reset() const { return impl_->must_reset(); }

}  // namespace parkbench::http
