#include "parkbench/load/generator.hpp"

#include <algorithm>

namespace parkbench::load {

using measure::Outcome;
using measure::Phase;
using measure::Request;

namespace {

/// By the thread's CPU time, so that a preempted generator burns no less.
void burn_cpu(Ns amount) {
  const Ns begun = thread_cpu_time();
  while (thread_cpu_time() - begun < amount) {
  }
}

}  // namespace

Generator::Generator(const LoadPlan& plan, Exchange& exchange, const Clock& clock, WindowObserver& observer,
                     std::vector<std::int64_t> expected)
    : plan_(plan),
      exchange_(exchange),
      clock_(clock),
      observer_(observer),
      expected_(std::move(expected)),
      random_(plan.seed),
      window_(plan_),
      schedule_(plan_),
      timing_(plan.seed),
      sent_by_user_(static_cast<std::size_t>(plan.users)),
      finished_once_(static_cast<std::size_t>(plan.users)),
      result_(plan.seed) {}

void Generator::run() {
  while (step()) {
    if (exchange_.empty()) exchange_.wait(clock_, next_event());
  }
}

void Generator::cancel() {
  cancel_.store(true, std::memory_order_release);
  exchange_.poke();
}

bool Generator::step() {
  Ns now = clock_.now();
  if (started_ < 0) begin();
  integrate(now);
  now = receive(now);
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
  round_at_ = started_;
  schedule_.begin(started_);
}

void Generator::schedule_round(Ns at) {
  round_at_ = at;
  schedule_.add_round(at);
}

/// @return the time after the answers were taken.
Ns Generator::receive(Ns now) {
  Request* request = exchange_.take_all();
  if (request == nullptr) return now;
  // After the take: what is in the batch was ready before this stamp.
  const Ns taken = std::max(now, clock_.now());
  while (request != nullptr) {
    Request* next = request->next;
    const Ns got = exchange_.stamps_answers() ? request->answer_ready : taken;
    integrate(got);
    on_answer(*request, got);
    request = next;
  }
  return taken;
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
  if (request.outcome == Outcome::ok && !expected_.empty()) {
    request.checked = true;
    if (expected_[request.product - 1] != request.answer) request.fail(ErrorCode::wrong_answer);
  }
  if (request.checked) ++result_.checked;
  result_.ledger.add(request.outcome, request.error);
  const Ns response = got - request.due;
  if (request.outcome != Outcome::ok) {
    result_.failed_response.record(response);
    return;
  }
  request.trace.add(Phase::reply, request.answer_ready, got);
  result_.response.record(response);
  result_.from_send.record(got - request.sent);
  if (!request.timed) {
    for (const Phase own : {Phase::client_wait, Phase::lateness}) {
      result_.phases[static_cast<std::size_t>(own)] += request.trace.spent(own);
    }
    return;
  }
  ++result_.timed;
  result_.timed_from_send += got - request.sent;
  const auto& phases = request.trace.all();
  for (std::size_t i = 0; i < measure::kPhases; ++i) result_.phases[i] += phases[i];
  result_.samples.add(response, request.trace);
}

void Generator::user_free(std::uint32_t user, Ns at) {
  if (!finished_once_[user]) {
    finished_once_[user] = true;
    ++users_finished_;
  }
  schedule_.user_free(user, at);
}

void Generator::expire(Ns now) {
  for (Request* oldest = outstanding_.oldest(); oldest != nullptr && oldest->due + plan_.timeout <= now;
       oldest = outstanding_.oldest()) {
    integrate(now);
    give_up(*oldest, now);
  }
  if (stop_sending_) return;
  while (const auto due = schedule_.take_expired(now)) {
    // It has waited for a user all its time: it was never sent, but whoever asked has waited.
    waited(*due, now);
    failed_.fetch_add(1, std::memory_order_relaxed);
    if (!window_.counts(*due)) continue;
    ++result_.ledger.scheduled;
    result_.ledger.add(Outcome::timed_out, ErrorCode::timeout);
    result_.failed_response.record(now - *due);
  }
}

void Generator::give_up(Request& request, Ns now) {
  outstanding_.remove(request);
  request.abandoned = true;
  failed_.fetch_add(1, std::memory_order_relaxed);
  const bool ours = exchange_.abandon(request);
  if (request.counted) {
    --counted_outstanding_;
    ++result_.abandoned;
    result_.ledger.add(Outcome::timed_out, ours ? request.error : ErrorCode::timeout);
    result_.failed_response.record(now - request.due);
  }
  const std::uint32_t user = request.user;
  if (ours) outstanding_.recycle(request);
  user_free(user, now);
}

void Generator::move_window(Ns now) {
  if (stop_sending_ || window_.state() == Window::State::closed) return;
  if (plan_.arrivals.kind == Arrivals::Kind::rounds) {
    // A round is over when its answers are in, or when the next one is due by the clock.
    if (plan_.arrivals.every) {
      if (now >= round_at_ + *plan_.arrivals.every) round_boundary(round_at_ + *plan_.arrivals.every);
    } else if (schedule_.idle() && outstanding_.size() == 0) {
      round_boundary(now + plan_.arrivals.pause);
    }
    return;
  }
  if (window_.state() == Window::State::warm_up) {
    // An open load has no users to wait for: which of them it needs depends on its rate.
    const bool finished_once = schedule_.open() || users_finished_ == finished_once_.size();
    if (window_.warm(now, started_, finished_once)) open_window(now);
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
  const double warm_up_s = static_cast<double>(std::max(kMillisecond, at - started_)) / static_cast<double>(kSecond);
  timing_.expect(static_cast<double>(ok_.load(std::memory_order_relaxed)) / warm_up_s);
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
  if (was_open && schedule_.open()) {
    result_.in_flight_integral +=
        static_cast<double>(schedule_.waiting(window_.opened(), at).waited) / static_cast<double>(kSecond);
  }
  window_.close(at);
  result_.closed = at;
  result_.too_short = too_short;
  if (was_open) result_.generator_cpu = thread_cpu_time() - generator_cpu_at_open_;
  stage_.store(Stage::drain, std::memory_order_relaxed);
  observer_.window_closed();
}

void Generator::send_due(Ns now) {
  std::array<Request*, kMostBatch> batch;
  const std::size_t most = plan_.planted_burn > 0 ? 1 : std::min(exchange_.batch(), kMostBatch);
  while (!stop_sending_ && schedule_.next().passed(now)) {
    if (plan_.planted_burn > 0) burn_cpu(plan_.planted_burn);
    const Ns sent = clock_.now();
    integrate(sent);
    std::size_t count = 0;
    bool taken = false;
    while (count < most) {
      const auto due = schedule_.take(sent);
      if (!due) break;
      taken = true;
      const bool wanted = !plan_.requests_per_user || schedule_.open() || window_.state() == Window::State::warm_up ||
                          sent_by_user_[due->user] < *plan_.requests_per_user;
      if (wanted) batch[count++] = &prepare(*due, sent);
    }
    if (!taken) return;  // due, but no user is free
    if (count == 0) continue;
    // Being held back is the target's doing, not ours: what is due meanwhile waits in `client_wait`.
    if (exchange_.submit({batch.data(), count})) held_back_until_ = clock_.now();
    // Answers before the next whole batch: their users' next requests are due at the same instant.
    if (most > 1 && !exchange_.empty()) return;
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
  request.checked = false;
  request.timed = timing_.chosen(request.number);
  request.deadline = Deadline::at(due.at + plan_.timeout);
  request.outcome = Outcome::none;
  request.error = ErrorCode::none;
  request.trace.clear();
  request.trace.set_sampled(request.timed);
  const Ns free = std::clamp(std::max(held_back_until_, due.free), due.at, sent);
  request.trace.add(Phase::client_wait, due.at, free);
  request.trace.add(Phase::lateness, free, sent);
  if (schedule_.open()) waited(due.at, sent);
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
  } else if (counted_outstanding_ != 0 || schedule_.due_before(window_.closed())) {
    return false;
  } else if (!stop_sending_) {
    stop_sending_ = true;
  }
  if (cancelled_at_ == 0 && outstanding_.size() != 0) return false;
  result_.outstanding = outstanding_.counted();
  if (cancelled_at_ != 0) {
    const std::uint64_t unsent = schedule_.waiting(window_.opened(), window_.closed()).count;
    result_.ledger.scheduled += unsent;
    result_.ledger.unsent += unsent;
  }
  return true;
}

/// A request of an open load has waited for a user since it was due: it was in flight for whoever asked.
void Generator::waited(Ns from, Ns to) {
  if (window_.state() != Window::State::open) return;
  result_.in_flight_integral +=
      static_cast<double>(to - std::max(from, window_.opened())) / static_cast<double>(kSecond);
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
  if (!stop_sending_) next = next.earlier(schedule_.next());
  if (rounds && plan_.arrivals.every && window_.state() != Window::State::closed) {
    next = next.earlier(Deadline::at(round_at_ + *plan_.arrivals.every));
  }
  if (const Request* oldest = outstanding_.oldest()) next = next.earlier(Deadline::at(oldest->due + plan_.timeout));
  if (cancelled_at_ != 0) next = next.earlier(Deadline::at(cancelled_at_ + kCancelGrace));
  // The window of a load with a number of requests closes with the last answer, whatever the clock says.
  const bool by_clock = window_.state() == Window::State::warm_up || !plan_.requests_per_user;
  if (!rounds && by_clock && window_.state() != Window::State::closed) {
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
