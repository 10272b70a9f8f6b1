#pragma once

#include <algorithm>
#include <limits>

#include "parkbench/base/clock.hpp"

namespace parkbench {

/// A point in time by which something must have happened, or never.
class Deadline {
 public:
  static constexpr Deadline never() { return Deadline{std::numeric_limits<Ns>::max()}; }
  static constexpr Deadline at(Ns when) { return Deadline{when}; }

  constexpr bool is_never() const { return at_ == std::numeric_limits<Ns>::max(); }
  constexpr bool passed(Ns now) const { return now >= at_; }
  constexpr Ns when() const { return at_; }
  constexpr Deadline earlier(Deadline other) const { return Deadline{std::min(at_, other.at_)}; }

  /// Time left, 0 when passed; a never is left a very long time.
  constexpr Ns left(Ns now) const { return at_ > now ? at_ - now : 0; }

 private:
  explicit constexpr Deadline(Ns at) : at_(at) {}
  Ns at_;
};

}  // namespace parkbench
