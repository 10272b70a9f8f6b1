#include <algorithm>
#include <cstring>

#include "bindings/bind.hpp"
#include "parkbench/http/server_session.hpp"

namespace parkbench {
namespace {

/// What a session writes to these pieces, received one after the other, and whether it closes the connection then.
std::pair<std::string, bool> http_answers(const std::vector<std::string>& pieces) {
  using Step = http::ServerSession::Step;
  const http::Limits limits;
  http::ServerSession session(limits, 0);
  std::string written;
  bool closes = false;
  // Everything but reading, until more bytes are needed or the connection is closed.
  const auto turn = [&] {
    for (;;) {
      switch (session.step()) {
        case Step::read:
          return;
        case Step::handle: {
          http::Response response;
          response.body = "Hello, World!";
          session.respond(response, 0);
          break;
        }
        case Step::write:
          written.append(session.pending());
          session.written(session.pending().size(), 0);
          break;
        case Step::shut_down:
          closes = true;
          return;
        case Step::close:
          closes = true;
          return;
      }
    }
  };
  turn();
  for (std::string_view piece : pieces) {
    while (!piece.empty() && !closes) {
      const auto room = session.space();
      const std::size_t size = std::min(room.size(), piece.size());
      std::memcpy(room.data(), piece.data(), size);
      piece.remove_prefix(size);
      session.received(size, 0);
      turn();
    }
  }
  return {written, closes};
}

}  // namespace

void bind_http(py::module_& module) {
  module.def(
      "http_answers",
      [](const std::vector<py::bytes>& pieces) {
        const std::vector<std::string> copies(pieces.begin(), pieces.end());
        std::pair<std::string, bool> outcome;
        {
          const py::gil_scoped_release release;
          outcome = http_answers(copies);
        }
        return py::typing::Tuple<py::bytes, py::bool_>(py::make_tuple(py::bytes(outcome.first), outcome.second));
      },
      py::arg("pieces"),
      "What a server writes to these pieces of a connection when its handler answers 13 bytes to everything, and "
      "whether it closes the connection behind it.");
}

}  // namespace parkbench
