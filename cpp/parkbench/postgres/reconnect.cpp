#include "parkbench/postgres/reconnect.hpp"

#include <algorithm>

namespace parkbench::postgres {
namespace {

/// The finaliser of splitmix64: turns a counter into 64 even bits.
std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

Reconnect::Reconnect(Connection& connection, std::span<const Statement> statements, Ns now, Deadline deadline)
    : connection_(connection), statements_(statements), give_up_(deadline.earlier(Deadline::at(now + kGiveUpAfter))) {
  const bool under_way = connection_.state() == ConnectionState::connecting;
  if (connection_.ready()) stage_ = Stage::preparing;
  if (under_way && now - connection_.started_at() < kGiveUpAfter) stage_ = Stage::connecting;
}

Ns Reconnect::pause_after(std::uint32_t attempts, std::uint64_t seed) {
  const std::uint32_t doublings = std::min<std::uint32_t>(attempts - 1, 4);
  const Ns longest = std::min(kFirstPause << doublings, kLongestPause);
  const Ns half = longest / 2;
  return longest - static_cast<Ns>(scramble(seed + attempts) % static_cast<std::uint64_t>(half + 1));
}

ReconnectStep Reconnect::step(Ns now) {
  if (stage_ == Stage::over) return error_.code == ErrorCode::none ? ReconnectStep::done : ReconnectStep::failed;
  if (give_up_.passed(now)) {
    if (error_.code == ErrorCode::none) error_ = {ErrorCode::db_connect, "the database does not answer in time"};
    if (stage_ == Stage::connecting && now - connection_.started_at() < kGiveUpAfter) {
      stage_ = Stage::over;
      return ReconnectStep::failed;
    }
    return attempt_failed(error_, false, now);
  }
  if (stage_ == Stage::idle) {
    if (now < pause_until_) return ReconnectStep::pause;
    connection_.start(now);
    stage_ = Stage::connecting;
  }
  return stage_ == Stage::connecting ? connect_on(now) : prepare_on(now);
}

ReconnectStep Reconnect::connect_on(Ns now) {
  switch (connection_.step()) {
    case ConnectStep::want_read:
      return ReconnectStep::want_read;
    case ConnectStep::want_write:
      return ReconnectStep::want_write;
    case ConnectStep::failed:
      return attempt_failed(connection_.failure().error, connection_.failure().transient, now);
    case ConnectStep::done:
      break;
  }
  stage_ = Stage::preparing;
  preparing_ = 0;
  return prepare_on(now);
}

ReconnectStep Reconnect::prepare_on(Ns now) {
  for (; preparing_ < statements_.size(); ++preparing_) {
    if (!query_) query_.emplace(connection_, statements_[preparing_], Query::PrepareOnly{});
    switch (query_->step()) {
      case Step::want_read:
        return ReconnectStep::want_read;
      case Step::want_write:
        return ReconnectStep::want_write;
      case Step::done:
        break;
    }
    const Error error = query_->error();
    query_.reset();
    if (error.code == ErrorCode::db_error) return attempt_failed(error, false, now);
    if (error.code != ErrorCode::none) return attempt_failed({ErrorCode::db_connect, error.message}, true, now);
  }
  stage_ = Stage::over;
  error_ = {};
  return ReconnectStep::done;
}

ReconnectStep Reconnect::attempt_failed(const Error& error, bool transient, Ns now) {
  error_ = error;
  query_.reset();
  connection_.close();
  if (!transient) {
    stage_ = Stage::over;
    return ReconnectStep::failed;
  }
  stage_ = Stage::idle;
  pause_until_ = now + pause_after(++attempts_, std::uint64_t{connection_.number()} << 32);
  pause_until_ = std::min(pause_until_, give_up_.when());
  return ReconnectStep::pause;
}

}  // namespace parkbench::postgres
