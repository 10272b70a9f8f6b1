#include "parkbench/load/schedule.hpp"

#include <algorithm>

namespace parkbench::load {

Schedule::Schedule(const LoadPlan& plan) : plan_(plan) {
  if (plan.arrivals.open()) open_.emplace(plan.arrivals, plan.seed, 0);
}

void Schedule::begin(Ns at) {
  if (!open()) {
    add_round(at);
    return;
  }
  open_.emplace(plan_.arrivals, plan_.seed, at);
  for (int user = plan_.users; user > 0; --user) user_free(static_cast<std::uint32_t>(user - 1), at);
}

void Schedule::add_round(Ns at) {
  for (std::uint32_t user = 0; user < static_cast<std::uint32_t>(plan_.users); ++user) due_.push_back({at, at, user});
}

void Schedule::user_free(std::uint32_t user, Ns at) {
  if (open()) {
    free_users_.push_back(user);
    free_since_.push_back(at);
  } else if (plan_.arrivals.kind == Arrivals::Kind::closed) {
    due_.push_back({at + plan_.arrivals.think, at + plan_.arrivals.think, user});
  }
}

std::optional<Due> Schedule::take(Ns now) {
  if (!open()) {
    if (due_.empty() || due_.front().at > now) return std::nullopt;
    const Due due = due_.front();
    due_.pop_front();
    return due;
  }
  if (open_->due() > now || free_users_.empty()) return std::nullopt;
  const Due due{open_->due(), std::max(open_->due(), free_since_.front()), free_users_.back()};
  open_->advance();
  free_since_.pop_front();
  free_users_.pop_back();
  return due;
}

std::optional<Ns> Schedule::take_expired(Ns now) {
  if (!open() || open_->due() + plan_.timeout > now) return std::nullopt;
  const Ns due = open_->due();
  open_->advance();
  return due;
}

Deadline Schedule::next() const {
  if (open()) return Deadline::at(free_users_.empty() ? open_->due() + plan_.timeout : open_->due());
  return due_.empty() ? Deadline::never() : Deadline::at(due_.front().at);
}

Schedule::Waiting Schedule::waiting(Ns from, Ns to) const {
  Waiting waiting;
  const auto add = [&](Ns at) {
    if (at >= to) return;
    if (at >= from) ++waiting.count;
    waiting.waited += to - std::max(at, from);
  };
  for (const Due& due : due_) add(due.at);
  if (open()) {
    for (OpenArrivals rest = *open_; rest.due() < to; rest.advance()) add(rest.due());
  }
  return waiting;
}

}  // namespace parkbench::load
