#pragma once

#include <cstdint>
#include <optional>

#include "parkbench/base/clock.hpp"

namespace parkbench::load {

/// When requests are due. closed: each user's next request is due when it has the answer, plus think time. rounds:
/// all users at once, then a pause after the last answer, or a new round every `every`. constant, poisson: at a rate,
/// whether or not earlier ones are answered; the users are then the most requests under way at once.
struct Arrivals {
  enum class Kind : std::uint8_t { closed, rounds, constant, poisson };
  Kind kind = Kind::closed;
  Ns think = 0;
  Ns pause = 0;
  std::optional<Ns> every{};
  double rate = 0;  // requests/s of constant and poisson

  bool open() const { return kind == Kind::constant || kind == Kind::poisson; }
};

/// Everything the generator needs to know; lengths of time in nanoseconds.
struct LoadPlan {
  int users = 1;
  Arrivals arrivals{};
  Ns warm_up = kSecond / 2;         // and until each user has finished once
  Ns warm_up_limit = 10 * kSecond;  // but not longer than this
  Ns duration = 2 * kSecond;        // a minimum: the window grows until it carries the figures, see window.hpp
  Ns max_duration = 60 * kSecond;
  std::optional<std::uint64_t> requests_per_user{};  // then the window lasts until all of them are answered
  Ns timeout = 30 * kSecond;
  std::uint64_t seed = 1;
  std::uint32_t products = 1;
  Ns planted_burn = 0;  // tests only: CPU time that the generator spends before each send
};

}  // namespace parkbench::load
