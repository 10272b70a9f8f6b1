#include "parkbench/load/generator.hpp"

#include <algorithm>

namespace parkbench::load {

using measure::Outcome;
using measure::Phase;
using measure::Request;

Generator::Generator(const LoadPlan& plan, Target& target, AnswerQueue& answers, const Clock& clock,
                     WindowObserver& observer, std::vector<std::int64_t> expected)
    : plan_(plan),
      target_(target),
      answers_(answers),
      clock_(clock),
      observer_(observer),
      expected_(std::move(expected)),
      random_(plan.seed),
      window_(plan_),
      sent_by_user_(static_cast<std::size_t>(plan.users)),
      finished_once_(static_cast<std::size_t>(plan.users)),
      result_(plan.seed) {}

void Generator::run() {
  while (step()) {
    if (answers_.empty()) answers_.wait(clock_, next_event());
  }
}

void Generator::cancel() {
  cancel_.store(true, std::memory_order_release);
  answers_.poke();
}

bool Generator::step() {
  const Ns now = clock_.now();
  if (started_ < 0) begin();
  integrate(now);
  receive(now);
  expire(now);
  if (cancel_.load(std::memory_order_acquire) && cancelled_at_ == 0) {
    cancelled_at_ = now;
    result_.cancelled = true;
    if (window_.state() != Window::State::closed) close_window(now, false);
    stop_sending_ = true;
  }
  move_window(now);
  send_due(now);
  in_flight_.store(outstanding_.size(), std::memory_order_relaxed);
  if (!finished(now)) return true;
  stage_.store(Stage::done, std::memory_order_release);
  return false;
}

void Generator::begin() {
  started_ = clock_.now();
  integrated_to_ = started_;
  schedule_round(started_);
}

void Generator::schedule_round(Ns at) {
  round_at_ = at;
  for (std::uint32_t user = 0; user < static_cast<std::uint32_t>(plan_.users); ++user) due_.push_back({at, user});
}

void Generator::receive(Ns now) {
  Request* request = answers_.take_all();
  if (request == nullptr) return;
  // After the take: what is in the batch was ready before this stamp.
  const Ns got = std::max(now, clock_.now());
  integrate(got);
  while (request != nullptr) {
    Request* next = request->next;
    on_answer(*request, got);
    request = next;
  }
}

void Generator::on_answer(Request& request, Ns got) {
  if (request.counted) ++result_.answers;
  if (request.abandoned) {
    if (request.counted) {
      ++result_.late_answers;
      --result_.abandoned;
    }
    outstanding_.recycle(request);
    return;
  }
  outstanding_.remove(request);
  if (request.counted) count_answer(request, got);
  (request.outcome == Outcome::ok ? ok_ : failed_).fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t user = request.user;
  outstanding_.recycle(request);
  user_free(user, got);
}

void Generator::count_answer(Request& request, Ns got) {
  --counted_outstanding_;
  if (request.outcome == Outcome::ok && !expected_.empty() && expected_[request.product - 1] != request.answer) {
    request.fail(ErrorCode::wrong_answer);
  }
  result_.ledger.add(request.outcome, request.error);
  const Ns response = got - request.due;
  if (request.outcome != Outcome::ok) {
    result_.failed_response.record(response);
    return;
  }
  request.trace.add(Phase::reply, request.answer_ready, got);
  result_.response.record(response);
  result_.from_send.record(got - request.sent);
  const auto& phases = request.trace.all();
  for (std::size_t i = 0; i < measure::kPhases; ++i) result_.phases[i] += phases[i];
  result_.samples.add(response, request.trace);
}

void Generator::user_free(std::uint32_t user, Ns at) {
  if (!finished_once_[user]) {
    finished_once_[user] = true;
    ++users_finished_;
  }
  if (plan_.arrivals.kind == Arrivals::Kind::closed) due_.push_back({at + plan_.arrivals.think, user});
}

void Generator::expire(Ns now) {
  for (Request* oldest = outstanding_.oldest(); oldest != nullptr && oldest->due + plan_.timeout <= now;
       oldest = outstanding_.oldest()) {
    integrate(now);
    outstanding_.remove(*oldest);
    oldest->abandoned = true;
    failed_.fetch_add(1, std::memory_order_relaxed);
    if (oldest->counted) {
      --counted_outstanding_;
      ++result_.abandoned;
      result_.ledger.add(Outcome::timed_out, ErrorCode::timeout);
      result_.failed_response.record(now - oldest->due);
    }
    user_free(oldest->user, now);
  }
}

void Generator::move_window(Ns now) {
  if (stop_sending_ || window_.state() == Window::State::closed) return;
  if (plan_.arrivals.kind == Arrivals::Kind::rounds) {
    // A round is over when its answers are in, or when the next one is due by the clock.
    if (plan_.arrivals.every) {
      if (now >= round_at_ + *plan_.arrivals.every) round_boundary(round_at_ + *plan_.arrivals.every);
    } else if (due_.empty() && outstanding_.size() == 0) {
      round_boundary(now + plan_.arrivals.pause);
    }
    return;
  }
  if (window_.state() == Window::State::warm_up) {
    if (window_.warm(now, started_, users_finished_ == finished_once_.size())) open_window(now);
    return;
  }
  if (plan_.requests_per_user) {
    if (!more_wanted() && counted_outstanding_ == 0) close_window(now, false);
    return;
  }
  const bool carries = window_.carries(now, result_.answers, result_.response.mean());
  if (carries || window_.exhausted(now)) close_window(now, !carries);
}

bool Generator::more_wanted() const {
  return std::any_of(sent_by_user_.begin(), sent_by_user_.end(),
                     [this](std::uint64_t sent) { return sent < *plan_.requests_per_user; });
}

void Generator::round_boundary(Ns at) {
  if (window_.state() == Window::State::open) {
    ++result_.rounds;
    const bool carries = window_.carries(at, result_.answers, result_.response.mean());
    const bool over = plan_.requests_per_user ? !more_wanted() : carries || window_.exhausted(at);
    if (over) {
      close_window(at, !plan_.requests_per_user && !carries);
      if (!plan_.arrivals.every) stop_sending_ = true;
      return;
    }
  } else if (window_.warm(at, started_, users_finished_ == finished_once_.size())) {
    open_window(at);
  }
  schedule_round(at);
}

void Generator::open_window(Ns at) {
  integrate(clock_.now());
  window_.open(at);
  result_.opened = at;
  result_.in_flight_integral = 0;
  generator_cpu_at_open_ = thread_cpu_time();
  stage_.store(Stage::measure, std::memory_order_relaxed);
  observer_.window_opened();
}

void Generator::close_window(Ns at, bool too_short) {
  integrate(at);
  const bool was_open = window_.state() == Window::State::open;
  if (!was_open) {
    window_.open(at);
    result_.opened = at;
  }
  window_.close(at);
  result_.closed = at;
  result_.too_short = too_short;
  if (was_open) result_.generator_cpu = thread_cpu_time() - generator_cpu_at_open_;
  stage_.store(Stage::drain, std::memory_order_relaxed);
  observer_.window_closed();
}

void Generator::send_due(Ns now) {
  std::array<Request*, kBatch> batch;
  while (!due_.empty() && due_.front().at <= now && !stop_sending_) {
    const Ns sent = clock_.now();
    integrate(sent);
    std::size_t count = 0;
    while (count < kBatch && !due_.empty() && due_.front().at <= sent) {
      const Due due = due_.front();
      due_.pop_front();
      const bool wanted = !plan_.requests_per_user || window_.state() == Window::State::warm_up ||
                          sent_by_user_[due.user] < *plan_.requests_per_user;
      if (wanted) batch[count++] = &prepare(due, sent);
    }
    if (count == 0) continue;
    // Being held back is the target's doing, not ours: what is due meanwhile waits in `client_wait`.
    if (target_.submit({batch.data(), count})) held_back_until_ = clock_.now();
    if (answers_.empty()) continue;
    break;  // answers first: their users' next requests are due at the same instant
  }
}

Request& Generator::prepare(const Due& due, Ns sent) {
  Request& request = outstanding_.take();
  request.number = next_number_++;
  request.user = due.user;
  request.product = random_.below(plan_.products) + 1;
  request.due = due.at;
  request.sent = sent;
  request.counted = window_.counts(due.at);
  request.abandoned = false;
  request.deadline = Deadline::at(due.at + plan_.timeout);
  request.outcome = Outcome::none;
  request.error = ErrorCode::none;
  request.trace.clear();
  const Ns free = std::clamp(held_back_until_, due.at, sent);
  request.trace.add(Phase::client_wait, due.at, free);
  request.trace.add(Phase::lateness, free, sent);
  if (request.counted) {
    ++result_.ledger.scheduled;
    ++counted_outstanding_;
    ++sent_by_user_[due.user];
    result_.lateness.record(sent - free);
  }
  outstanding_.sent(request);
  return request;
}

bool Generator::finished(Ns now) {
  if (window_.state() != Window::State::closed) return false;
  if (cancelled_at_ != 0) {
    const bool waited = now - cancelled_at_ >= kCancelGrace;
    if (outstanding_.size() != 0 && !waited) return false;
  } else if (counted_outstanding_ != 0) {
    return false;
  } else if (!stop_sending_) {
    stop_sending_ = true;
  }
  if (cancelled_at_ == 0 && outstanding_.size() != 0) return false;
  for (const Due& due : due_) {
    if (window_.counts(due.at) && cancelled_at_ != 0) {
      ++result_.ledger.scheduled;
      ++result_.ledger.unsent;
    }
  }
  due_.clear();
  return true;
}

void Generator::integrate(Ns now) {
  if (now <= integrated_to_) return;
  if (window_.state() == Window::State::open) {
    result_.in_flight_integral += static_cast<double>(outstanding_.size()) * static_cast<double>(now - integrated_to_) /
                                  static_cast<double>(kSecond);
  }
  integrated_to_ = now;
}

Deadline Generator::next_event() const {
  Deadline next = Deadline::never();
  const bool rounds = plan_.arrivals.kind == Arrivals::Kind::rounds;
  if (!due_.empty() && !stop_sending_) next = next.earlier(Deadline::at(due_.front().at));
  if (rounds && plan_.arrivals.every && window_.state() != Window::State::closed) {
    next = next.earlier(Deadline::at(round_at_ + *plan_.arrivals.every));
  }
  if (const Request* oldest = outstanding_.oldest()) next = next.earlier(Deadline::at(oldest->due + plan_.timeout));
  if (cancelled_at_ != 0) next = next.earlier(Deadline::at(cancelled_at_ + kCancelGrace));
  if (!rounds && window_.state() != Window::State::closed) {
    const Ns look = window_.next_look(started_);
    next = next.earlier(Deadline::at(look > integrated_to_ ? look : window_.last_look(started_)));
  }
  return next;
}

Generator::Progress Generator::progress() const {
  return {stage_.load(std::memory_order_acquire), ok_.load(std::memory_order_relaxed),
          failed_.load(std::memory_order_relaxed), in_flight_.load(std::memory_order_relaxed)};
}

}  // namespace parkbench::load
