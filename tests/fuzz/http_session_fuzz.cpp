// Feeds any bytes to both sides of a connection, whole and cut, and checks what must hold for every input: no crash, no
// standstill, bounded memory, and the same outcome however the bytes were cut.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "parkbench/http/client_session.hpp"
#include "parkbench/http/server_session.hpp"

namespace {

using namespace parkbench;
using namespace parkbench::http;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// How the bytes are cut: a small generator, so that one input always means the same.
class Cutter {
 public:
  Cutter(std::uint32_t seed, std::size_t most) : state_(seed | 1U), most_(most) {}
  std::size_t next() {
    state_ = state_ * 1664525U + 1013904223U;
    return 1 + (state_ >> 16) % most_;
  }

 private:
  std::uint32_t state_;
  std::size_t most_;
};

/// Small enough that a short input reaches each of them.
Limits tight() {
  Limits limits;
  limits.target = 40;
  limits.header_block = 300;
  limits.header_line = 60;
  limits.headers = 5;
  limits.body = 100;
  limits.chunk_extensions = 20;
  return limits;
}

void answer(ServerSession& session) {
  const Request& request = session.request();
  if (request.query.find("stream") != std::string_view::npos) {
    session.begin_stream({}, 0);
    session.stream("one", 0);
    session.stream("", 0);
    session.stream("and two", 0);
    session.end_stream(0);
    return;
  }
  Response response;
  response.body = "Hello, World!";
  if (request.has_header("X-Echo")) response.body.assign(request.header("X-Echo"));
  if (!request.body.empty()) response.body.assign(request.body);
  session.respond(response, 0);
}

/// Everything the server would write to these bytes.
std::string serve(std::string_view bytes, const Limits& limits, Cutter cutter) {
  ServerSession session(limits, 0, [] { return std::int64_t{784'111'777}; });
  std::string written;
  // Each byte is read once, written in pieces, answered at most once: the factor is generous, the line is straight.
  std::size_t turns = 1000 + 400 * bytes.size();
  for (;;) {
    require(turns-- > 0, "a session makes progress");
    switch (session.step()) {
      case ServerSession::Step::read: {
        if (bytes.empty()) {
          session.ended(0);
          require(session.step() != ServerSession::Step::read, "the end ends the reading");
          break;
        }
        const auto room = session.space();
        require(!room.empty(), "there is room to read into");
        require(room.size() <= limits.body + limits.header_block + 8 * 1024, "the buffer is bounded");
        const std::size_t size = std::min({room.size(), bytes.size(), cutter.next()});
        std::memcpy(room.data(), bytes.data(), size);
        bytes.remove_prefix(size);
        session.received(size, 0);
        break;
      }
      case ServerSession::Step::handle: {
        const Request& request = session.request();
        require(request.target.size() <= limits.target, "the target keeps its limit");
        require(request.headers.size() <= limits.header_block, "the headers keep their limit");
        require(request.body.size() <= limits.body, "the body keeps its limit");
        answer(session);
        break;
      }
      case ServerSession::Step::write: {
        const std::string_view pending = session.pending();
        require(!pending.empty(), "there is something to write");
        require(pending.size() <= limits.body + limits.header_block + 8 * 1024, "what is to be written is bounded");
        const std::size_t size = std::min(pending.size(), cutter.next());
        written.append(pending.substr(0, size));
        session.written(size, 0);
        break;
      }
      case ServerSession::Step::shut_down:
        session.shut_down_done(0);
        break;
      case ServerSession::Step::close:
        return written;
    }
  }
}

/// What a client makes of these bytes as the answer to one request.
std::string take(std::string_view bytes, bool head, bool keep, Cutter cutter) {
  ClientSession session({.header_block = 300, .body = 200});
  session.keep_body(keep);
  session.start("GET / HTTP/1.1\r\nHost: a\r\n\r\n", head);
  session.written(session.pending().size());
  while (!bytes.empty() && session.state() != ClientSession::State::failed) {
    const auto room = session.space();
    require(!room.empty(), "there is room to read into");
    require(room.size() <= 70 * 1024, "the buffer is bounded");
    const std::size_t size = std::min({room.size(), bytes.size(), cutter.next()});
    std::memcpy(room.data(), bytes.data(), size);
    bytes.remove_prefix(size);
    session.received(size);
  }
  session.ended();
  require(session.state() == ClientSession::State::done || session.state() == ClientSession::State::failed,
          "the end ends the answer");
  if (session.state() == ClientSession::State::failed) return std::string(to_string(session.error().code));
  return std::to_string(session.status()) + ' ' + std::to_string(session.body_bytes()) + ' ' +
         std::string(session.header("content-type")) + ' ' + std::string(session.body());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const unsigned choice = data[0];
  const std::uint32_t seed = data[1];
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  const Limits limits = (choice & 1U) != 0 ? tight() : Limits{};
  const Cutter whole(1, std::size_t{1} << 24);
  const Cutter single(1, 1);
  const Cutter pieces(seed, 1 + (choice >> 4));

  const std::string served = serve(bytes, limits, whole);
  require(served == serve(bytes, limits, single), "a server's answers do not depend on the cut: single bytes");
  require(served == serve(bytes, limits, pieces), "a server's answers do not depend on the cut: pieces");

  const bool head = (choice & 2U) != 0;
  const bool keep = (choice & 4U) == 0;
  const std::string taken = take(bytes, head, keep, whole);
  require(taken == take(bytes, head, keep, single), "a client's view does not depend on the cut: single bytes");
  require(taken == take(bytes, head, keep, pieces), "a client's view does not depend on the cut: pieces");
  return 0;
}
