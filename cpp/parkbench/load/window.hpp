#pragma once

#include <cstdint>

#include "parkbench/load/load_plan.hpp"

namespace parkbench::load {

/// The stretch of time whose requests are counted. It opens after the warm-up and closes when it is long enough to
/// carry its figures: the duration asked for, 10 mean response times and 1,000 answers; at most max_duration.
class Window {
 public:
  static constexpr std::uint64_t kAnswers = 1'000;
  static constexpr int kResponseTimes = 10;

  enum class State : std::uint8_t { warm_up, open, closed };

  explicit Window(const LoadPlan& plan) : plan_(plan) {}

  State state() const { return state_; }
  Ns opened() const { return opened_; }
  Ns closed() const { return closed_; }
  bool counts(Ns due) const {
    return state_ != State::warm_up && due >= opened_ && (state_ == State::open || due < closed_);
  }

  bool warm(Ns now, Ns started, bool every_user_finished) const {
    const Ns elapsed = now - started;
    return elapsed >= plan_.warm_up && (every_user_finished || elapsed >= plan_.warm_up_limit);
  }
  bool carries(Ns now, std::uint64_t answers, double mean_response) const {
    const Ns length = now - opened_;
    return length >= plan_.duration && answers >= kAnswers &&
           static_cast<double>(length) >= kResponseTimes * mean_response;
  }
  bool exhausted(Ns now) const { return now - opened_ >= plan_.max_duration; }

  void open(Ns at) {
    opened_ = at;
    state_ = State::open;
  }
  void close(Ns at) {
    closed_ = at;
    state_ = State::closed;
  }
  /// When to look again if nothing happens before.
  Ns next_look(Ns started) const {
    return state_ == State::warm_up ? started + plan_.warm_up : opened_ + plan_.duration;
  }
  Ns last_look(Ns started) const {
    return state_ == State::warm_up ? started + plan_.warm_up_limit : opened_ + plan_.max_duration;
  }

 private:
  const LoadPlan& plan_;
  State state_ = State::warm_up;
  Ns opened_ = 0;
  Ns closed_ = 0;
};

}  // namespace parkbench::load
