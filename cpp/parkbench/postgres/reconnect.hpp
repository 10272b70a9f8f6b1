#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "parkbench/base/deadline.hpp"
#include "parkbench/base/error.hpp"
#include "parkbench/postgres/connection.hpp"
#include "parkbench/postgres/query.hpp"

namespace parkbench::postgres {

enum class ReconnectStep : std::uint8_t { want_read, want_write, pause, done, failed };

/// Brings one connection up, without waiting: connects, prepares its statements, and tries again while the server is
/// starting, stopping, full or not there. Between attempts it pauses 50 ms, doubled up to 500 ms, each pause
/// shortened at random by up to a half, so that the connections of a pool do not return in step.
///
/// An attempt that is under way when the caller's deadline passes is left under way, and the next caller goes on with
/// it: callers with less patience than a connect takes would otherwise never get one.
class Reconnect {
 public:
  static constexpr Ns kFirstPause = 50 * kMillisecond;
  static constexpr Ns kLongestPause = 500 * kMillisecond;
  static constexpr Ns kGiveUpAfter = 10 * kSecond;

  /// @param statements outlive this; each is prepared before the connection counts as up.
  Reconnect(Connection& connection, std::span<const Statement> statements, Ns now, Deadline deadline);

  /// Goes on. want_...: wait for the connection's source, at most until give_up(); pause: wait until pause_until().
  ReconnectStep step(Ns now);
  Ns pause_until() const { return pause_until_; }
  Deadline give_up() const { return give_up_; }
  /// After failed: db_connect for the connection, db_error for a statement that cannot be prepared.
  const Error& error() const { return error_; }

  /// The pause after this many failed attempts (from 1).
  static Ns pause_after(std::uint32_t attempts, std::uint64_t seed);

 private:
  enum class Stage : std::uint8_t { idle, connecting, preparing, over };
  ReconnectStep attempt_failed(const Error& error, bool transient, Ns now);
  ReconnectStep connect_on(Ns now);
  ReconnectStep prepare_on(Ns now);

  Connection& connection_;
  std::span<const Statement> statements_;
  Deadline give_up_;
  Stage stage_ = Stage::idle;
  std::size_t preparing_ = 0;
  std::optional<Query> query_;
  std::uint32_t attempts_ = 0;
  Ns pause_until_ = 0;
  Error error_;
};

}  // namespace parkbench::postgres
