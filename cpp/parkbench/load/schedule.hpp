#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "parkbench/base/deadline.hpp"
#include "parkbench/load/arrivals.hpp"
#include "parkbench/load/load_plan.hpp"

namespace parkbench::load {

/// A request that is to be sent: when it was due, and from when on its user was free to send it.
struct Due {
  Ns at = 0;
  Ns free = 0;
  std::uint32_t user = 0;
};

/// What is due, in the order of due times, and who sends it.
///
/// With closed load and rounds each due request has its user from the start. Of an open load the next free user takes
/// it, the last one that became free first, so that few users (connections) carry a low rate; while none is free it
/// waits.
class Schedule {
 public:
  explicit Schedule(const LoadPlan& plan);

  bool open() const { return open_.has_value(); }
  /// The load begins; rounds: the first round.
  void begin(Ns at);
  /// All users at once.
  void add_round(Ns at);
  /// A user has its answer (or has given up).
  void user_free(std::uint32_t user, Ns at);

  /// The next request to send, if one is due and can be sent.
  std::optional<Due> take(Ns now);
  /// The due time of a request of an open load that has waited for a user until its time was up.
  std::optional<Ns> take_expired(Ns now);
  /// When take() or take_expired() has something if no user becomes free before.
  Deadline next() const;
  /// Nothing is due, now or later, before a user is free.
  bool idle() const { return due_.empty() && !open(); }

  /// How many requests are due in [from, to) and not taken yet; how long they and earlier ones waited then, together.
  struct Waiting {
    std::uint64_t count = 0;
    Ns waited = 0;
  };
  Waiting waiting(Ns from, Ns to) const;
  /// Is the next request of an open load due before then?
  bool due_before(Ns at) const { return open() && open_->due() < at; }

 private:
  const LoadPlan& plan_;
  std::deque<Due> due_;               // closed, rounds
  std::optional<OpenArrivals> open_;  // of an open load, from begin() on
  std::vector<std::uint32_t> free_users_;
  std::deque<Ns> free_since_;  // as many as free users, the earliest first: it is the one a waiting request waited for
};

}  // namespace parkbench::load
