#include "parkbench/server/downstream_server.hpp"

#include <algorithm>
#include <utility>

#include "parkbench/http/query.hpp"
#include "parkbench/workload/delay_profile.hpp"

namespace parkbench::server {
namespace {

const http::Response& ok() {
  static const http::Response response{.body = "downstream ok", .headers = {}};
  return response;
}

workload::Options nothing_to_run() {
  workload::Options options;
  options.kind = workload::Kind::noop;
  return options;
}

}  // namespace

/// While a request is delayed nobody waits for the socket, so the connection lives until its timer has come.
class DownstreamServer::Connection final : public EventConnection {
 public:
  Connection(DownstreamServer& server, ConnectionLoop& home, UniqueFd fd, Ns now)
      : EventConnection(home, std::move(fd), now), server_(server) {}

 private:
  void handle() override {
    const Ns complete = session_.request_complete_at();
    const Ns delay = server_.delay_of(session_.request(), home_.next_number(), complete);
    if (delay < 0) return respond(http::error_response(400, "ms must be a number from 0 to 60000"), now_);
    if (delay == 0) return respond(ok(), now_);
    home_.loop().timers().schedule_at(complete + delay, [this] {
      const Ns now = home_.loop().clock().now();
      respond(ok(), now);
      resume(now);
    });
  }
  void feed() override {}
  void closed() override { delete this; }

  DownstreamServer& server_;
};

DownstreamServer::DownstreamServer(const ServerOptions& options, const workload::Delay& delay, int loops,
                                   const Clock& clock)
    : options_(options),
      delay_(delay),
      resources_(nothing_to_run(), clock),
      books_(sink_, std::nullopt),
      shared_{options_, connection_limit(options), resources_, pages_, books_, table_, tally_},
      loops_(static_cast<std::size_t>(std::max(loops, 0)), {.clock = &clock, .name = "downstream"}) {
  if (loops > 1) Listener::require_free_port(options_);
  ServerOptions own = options_;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    places_.push_back(std::make_unique<ConnectionLoop>(loops_.loop(i), own, loops > 1, shared_));
    own.port = port();
  }
  loops_.start();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    ConnectionLoop& place = *places_[i];
    place.start(
        [this, &place](UniqueFd fd, Ns now) -> EventConnection& {
          return *new Connection(*this, place, std::move(fd), now);
        },
        i, places_.size(), places_);
  }
}

DownstreamServer::~DownstreamServer() { stop(); }

void DownstreamServer::stop() {
  for (const auto& place : places_) place->stop();
  loops_.stop();
}

Ns DownstreamServer::delay_of(const http::Request& request, std::uint64_t number, Ns now) const {
  constexpr double kMostMs = 60'000;
  if (request.path == "/sleep") {
    if (const auto text = http::parameter(request.query, "ms")) {
      const auto ms = http::decimal_number(*text, kMostMs);
      return ms ? static_cast<Ns>(*ms * static_cast<double>(kMillisecond)) : -1;
    }
  }
  const Ns opened = window_opened_.load(std::memory_order_relaxed);
  return workload::delay_of(delay_, number, opened == 0 ? -1 : now - opened);
}

}  // namespace parkbench::server
