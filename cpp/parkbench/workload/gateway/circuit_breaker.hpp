#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

#include "parkbench/base/clock.hpp"

namespace parkbench::workload::gateway {

/// Spares a downstream that fails: closed while it does well, open (nothing goes through) for one second when half of
/// the last 100 calls failed (20 at least are looked at), then half open: ten calls decide. Thread-safe.
class CircuitBreaker {
 public:
  static constexpr std::uint32_t kWindow = 100;
  static constexpr std::uint32_t kLeast = 20;
  static constexpr std::uint32_t kTrials = 10;
  static constexpr Ns kOpenFor = kSecond;

  enum class State : std::uint8_t { closed, open, half_open };
  /// unknown: the call was given up, its place is given back without a verdict.
  enum class Verdict : std::uint8_t { good, bad, unknown };
  /// Names the period in which a call began: what it says counts in that period only.
  using Ticket = std::uint64_t;

  /// A call may begin; each ticket is to be reported once.
  std::optional<Ticket> admit(Ns now);
  void report(Ticket ticket, Verdict verdict, Ns now);
  State state() const;

 private:
  void enter(State state);
  void judge(Ns now);

  mutable std::mutex mutex_;  // guards all below
  State state_ = State::closed;
  Ticket period_ = 0;
  Ns opened_at_ = 0;
  std::uint32_t trials_ = 0;  // half open: begun and not given up
  std::array<bool, kWindow> bad_{};
  std::uint32_t calls_ = 0;  // in bad_, at most kWindow
  std::uint32_t next_ = 0;
  std::uint32_t failures_ = 0;
};

}  // namespace parkbench::workload::gateway
