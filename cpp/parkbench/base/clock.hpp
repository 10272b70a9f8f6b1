#pragma once

#include <atomic>
#include <cstdint>

namespace parkbench {

/// Nanoseconds: a point on the steady clock, or a length of time.
using Ns = std::int64_t;

inline constexpr Ns kMicrosecond = 1'000;
inline constexpr Ns kMillisecond = 1'000'000;
inline constexpr Ns kSecond = 1'000'000'000;

/// Where the time comes from. Everything that waits or measures is given one, so that tests drive it by hand.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Ns now() const = 0;
};

/// CLOCK_MONOTONIC; about 25 ns a call.
class SteadyClock final : public Clock {
 public:
  Ns now() const override;
  static const SteadyClock& instance();
};

/// A clock that only moves when told to.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Ns start = 0) : now_(start) {}
  Ns now() const override { return now_.load(std::memory_order_acquire); }
  void advance(Ns by) { now_.fetch_add(by, std::memory_order_acq_rel); }
  void set(Ns at) { now_.store(at, std::memory_order_release); }

 private:
  std::atomic<Ns> now_;
};

/// Wall time, nanoseconds since 1970. It may jump: for texts that name a moment, never for lengths of time.
Ns unix_time();

/// CPU time that the calling thread has used so far.
Ns thread_cpu_time();

/// The wall clock, to a tick of some milliseconds and at a quarter of the price; for what people read, never to
/// measure.
std::int64_t unix_seconds();

}  // namespace parkbench
