#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "parkbench/base/clock.hpp"

namespace parkbench::measure {

/// The parts of a response time, in the order in which a request meets them.
enum class Phase : std::uint8_t {
  client_wait,  // due time -> a user is free to send
  lateness,     // then -> send time
  network,      // http only
  queue,        // accepted by the model -> first instruction of the handler
  connection,   // asks the pool -> has a connection
  database,     // query handed to the socket -> its result is there
  downstream,   // call handed to the socket -> its answer is there
  app_wait,     // the application waits by itself
  wakeup,       // a wait is over -> the handler runs again
  cpu,          // handler's wall time between waits
  reply,        // answer ready -> the generator has it
  unexplained,  // the rest; never measured, only computed as the check
};
inline constexpr std::size_t kPhases = 12;

std::string_view to_string(Phase phase);

/// Time one request spent in each phase. Each phase is begun and ended by stamps of its own: what lies between an
/// end and the next begin belongs to none of them and comes out as `unexplained`.
class PhaseTrace {
 public:
  void begin(Phase phase, Ns at) {
    open_ = phase;
    opened_at_ = at;
  }
  void end(Ns at) { spent_[static_cast<std::size_t>(open_)] += at - opened_at_; }
  /// Ends the open phase and begins the next with one stamp, where they meet.
  void turn(Phase next, Ns at) {
    end(at);
    begin(next, at);
  }
  void add(Phase phase, Ns from, Ns to) { spent_[static_cast<std::size_t>(phase)] += to - from; }

  Ns spent(Phase phase) const { return spent_[static_cast<std::size_t>(phase)]; }
  const std::array<Ns, kPhases>& all() const { return spent_; }
  void clear() { spent_.fill(0); }
  /// Whether the request is one of those whose phases are looked at: what costs a system call to know (when the kernel
  /// had a result) is asked for these alone. Stays over clear().
  void set_sampled(bool sampled) { sampled_ = sampled; }
  bool sampled() const { return sampled_; }

 private:
  std::array<Ns, kPhases> spent_{};
  Phase open_ = Phase::cpu;
  bool sampled_ = true;
  Ns opened_at_ = 0;
};

}  // namespace parkbench::measure
