#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "load/simulated.hpp"
#include "parkbench/base/random.hpp"

/// The generator's books against an oracle that keeps its own: it sees the system under test only, what was handed over
/// and what was given back when, and knows the rules. Time is a hand-driven clock, the plans are drawn at random.
namespace parkbench::load {
namespace {

using measure::Outcome;
using measure::Request;
using testing::Simulated;

/// How a request fares that the system under test has taken.
struct Fate {
  Ns delay = 0;  // negative: no answer ever
  Outcome outcome = Outcome::ok;
  ErrorCode error = ErrorCode::none;
  bool wrong = false;  // ok, but at another price than expected
};

/// A plan of a load, drawn from a seed, and what its requests meet.
struct Draw {
  explicit Draw(std::uint64_t seed) : random(seed * 2 + 1) {
    plan.seed = seed;
    plan.users = static_cast<int>(1 + random.below(8));
    plan.warm_up = random.below(3) * kMillisecond;
    plan.warm_up_limit = 20 * kMillisecond;
    plan.duration = (1 + random.below(20)) * kMillisecond;
    plan.max_duration = plan.duration + random.below(10) * kMillisecond;
    plan.timeout = (2 + random.below(8)) * kMillisecond;
    plan.products = 3;
    plan.arrivals = arrivals();
    if (!plan.arrivals.open() && random.below(4) == 0) plan.requests_per_user = 1 + random.below(5);
    if (random.below(4) == 0) {
      cancel_at = kSecond + random.below(30'000) * kMicrosecond;
      if (random.below(2) == 0) plan.timeout = 3 * kSecond;  // more than a cancelled run waits: some stay in flight
    }
    trouble = random.below(60);
    slowest = (1 + random.below(4)) * kMillisecond;
  }

  Fate fate() {
    Fate fate;
    fate.delay = random.below(static_cast<std::uint32_t>(slowest / kMicrosecond)) * kMicrosecond;
    const std::uint32_t die = random.below(100);
    if (die >= trouble) return fate;
    switch (die % 5) {
      case 0:
        fate.delay = -1;
        break;
      case 1:  // about when the generator gives up, or later
        fate.delay = plan.timeout - kMillisecond + random.below(4'000) * kMicrosecond;
        break;
      case 2:
        fate.outcome = Outcome::failed;
        fate.error = ErrorCode::db_error;
        break;
      case 3:
        fate.outcome = Outcome::rejected;
        fate.error = ErrorCode::rejected;
        break;
      default:
        fate.wrong = true;
    }
    return fate;
  }

  Random random;
  LoadPlan plan;
  Ns cancel_at = -1;
  std::uint32_t trouble = 0;  // in a hundred
  Ns slowest = 0;

 private:
  Arrivals arrivals() {
    Arrivals drawn;
    switch (random.below(5)) {
      case 0:
        drawn.think = random.below(3) * kMillisecond;
        break;
      case 1:
        drawn.kind = Arrivals::Kind::rounds;
        drawn.pause = random.below(3) * kMillisecond;
        break;
      case 2:
        drawn.kind = Arrivals::Kind::rounds;
        drawn.every = (1 + random.below(4)) * kMillisecond;
        break;
      case 3:
        drawn.kind = Arrivals::Kind::constant;
        drawn.rate = 200.0 + 100.0 * random.below(30);
        break;
      default:
        drawn.kind = Arrivals::Kind::poisson;
        drawn.rate = 200.0 + 100.0 * random.below(30);
    }
    return drawn;
  }
};

/// What the oracle remembers of one request.
struct Seen {
  Ns due = 0;
  Ns gone = -1;  // when its answer was given to the generator
  Fate fate;
};

struct Counts {
  std::uint64_t scheduled = 0, unsent = 0, ok = 0, rejected = 0, failed = 0, timed_out = 0, in_flight = 0;
  std::uint64_t late = 0, answers = 0;
  Ns response = 0;  // sum over the ok ones
  bool operator==(const Counts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << "scheduled " << c.scheduled << " unsent " << c.unsent << " ok " << c.ok << " rejected " << c.rejected
             << " failed " << c.failed << " timed_out " << c.timed_out << " in_flight " << c.in_flight << " late "
             << c.late << " answers " << c.answers << " response " << c.response;
}

/// One run of a draw, watched from the side of the system under test.
class Watched {
 public:
  /// @param swallow the answer of that number is lost between the system and the generator, and nobody says so.
  explicit Watched(Draw d, std::optional<std::uint64_t> swallow = {}) : draw_(std::move(d)), sim_(draw_.plan, kPrices) {
    sim_.stop_at = draw_.cancel_at;
    sim_.delay_of = [this](Request& request) {
      Seen& seen = of(request.number);
      seen.due = request.due;
      seen.fate = draw_.fate();
      if (seen.fate.outcome != Outcome::ok) request.fail(seen.fate.error);
      return seen.fate.delay;
    };
    sim_.answer_of = [this](Request& request) {
      return kPrices[request.product - 1] + (of(request.number).fate.wrong ? 1 : 0);
    };
    sim_.on_delivery = [this, swallow](Request& request) {
      of(request.number).gone = sim_.clock.now();
      return request.number != swallow;
    };
    sim_.run();
  }

  const LoadResult& result() const { return sim_.generator.result(); }

  /// By the rules alone. A request counts when it is due in the window; it is what its answer is, unless the answer
  /// comes later than the time-out; an answer at that very moment is in time.
  Counts expected() const {
    Counts counts;
    const LoadResult& r = result();
    const Ns end = sim_.clock.now();
    const Ns timeout = draw_.plan.timeout;
    std::uint64_t sent = 0;
    for (const Seen& seen : requests_) {
      if (seen.due < r.opened || seen.due >= r.closed) continue;
      ++sent;
      if (seen.gone >= 0) ++counts.answers;
      if (seen.gone >= 0 && seen.gone <= seen.due + timeout) {
        if (seen.fate.outcome == Outcome::rejected) {
          ++counts.rejected;
        } else if (seen.fate.outcome != Outcome::ok || seen.fate.wrong) {
          ++counts.failed;
        } else {
          ++counts.ok;
          counts.response += seen.gone - seen.due;
        }
      } else if (seen.due + timeout <= end) {
        ++counts.timed_out;
        if (seen.gone >= 0) ++counts.late;
      } else {
        ++counts.in_flight;
      }
    }
    counts.scheduled = sent;
    if (draw_.plan.arrivals.open()) add_those_never_sent(counts, sent);
    return counts;
  }

  /// As the generator says. What is in flight at the end it does not know: there it is the system's own count.
  Counts told() const {
    const LoadResult& r = result();
    return {r.ledger.scheduled, r.ledger.unsent, r.ledger.ok,    r.ledger.rejected, r.ledger.failed,
            r.ledger.timed_out, r.outstanding,   r.late_answers, r.answers,         r.response.sum()};
  }

  /// What is wrong, or nothing.
  std::string mismatch() const {
    std::ostringstream text;
    const Counts told_counts = told();
    const Counts expected_counts = expected();
    if (told_counts != expected_counts) text << "told " << told_counts << "; expected " << expected_counts << "; ";
    measure::Ledger ledger = result().ledger;
    ledger.in_flight_at_end = expected_counts.in_flight;
    if (!ledger.balances()) text << "the ledger does not balance; ";
    std::uint64_t causes = 0;
    for (const std::uint64_t cause : ledger.failures) causes += cause;
    const std::uint64_t bad = ledger.rejected + ledger.failed + ledger.timed_out;
    if (causes != bad) text << "causes " << causes << " of " << bad << "; ";
    if (result().response.count() != ledger.ok) text << "response times " << result().response.count() << "; ";
    if (result().failed_response.count() != bad) text << "failed times " << result().failed_response.count() << "; ";
    const auto per_user = draw_.plan.requests_per_user;
    if (per_user && !result().cancelled && draw_.plan.arrivals.kind == Arrivals::Kind::closed &&
        ledger.scheduled != *per_user * static_cast<std::uint64_t>(draw_.plan.users)) {
      text << "not each user's " << *per_user << "; ";
    }
    return text.str();
  }

 private:
  static inline const std::vector<std::int64_t> kPrices{100, 200, 300};

  Seen& of(std::uint64_t number) {
    if (requests_.size() <= number) requests_.resize(number + 1);
    return requests_[number];
  }

  /// An open load's due times are known without it: those of the window that were never handed over have timed out
  /// waiting for a user, or were still waiting when the run was cancelled.
  void add_those_never_sent(Counts& counts, std::uint64_t sent) const {
    const LoadResult& r = result();
    const Arrivals& arrivals = draw_.plan.arrivals;
    std::uint64_t due = 0;
    std::uint64_t expired = 0;
    Ns poisson = kSecond;
    for (std::uint64_t k = 0;; ++k) {
      if (k > 0) poisson += poisson_gap(arrivals.rate, draw_.plan.seed, k - 1);
      const Ns at = arrivals.kind == Arrivals::Kind::poisson
                        ? poisson
                        : kSecond + std::llround(static_cast<double>(k) * 1e9 / arrivals.rate);
      if (at >= r.closed) break;
      if (at < r.opened) continue;
      ++due;
      const bool handed_over =
          std::any_of(requests_.begin(), requests_.end(), [at](const Seen& seen) { return seen.due == at; });
      // Cancelling closes the window, and nothing is looked at afterwards.
      if (!handed_over && (!r.cancelled || at + draw_.plan.timeout <= r.closed)) ++expired;
    }
    counts.scheduled = due;
    counts.timed_out += expired;
    counts.unsent = due - sent - expired;
  }

  Draw draw_;
  std::vector<Seen> requests_;  // by number
  Simulated sim_;
};

TEST(GeneratorOracle, twenty_thousand_random_plans_balance) {
  // One thread and no race to be found: ThreadSanitizer takes two minutes over all of them.
  const char* const quick = std::getenv("PARKBENCH_TEST_QUICK");
  const std::uint64_t plans = quick != nullptr && std::string_view(quick) == "1" ? 1'000 : 20'000;
  std::uint64_t mismatches = 0;
  Counts met;
  std::uint64_t cancelled = 0;
  for (std::uint64_t seed = 0; seed < plans; ++seed) {
    const Watched watched{Draw(seed)};
    const std::string wrong = watched.mismatch();
    if (!wrong.empty() && ++mismatches <= 5) ADD_FAILURE() << "plan " << seed << ": " << wrong;
    const Counts told = watched.told();
    met.ok += told.ok;
    met.rejected += told.rejected;
    met.failed += told.failed;
    met.timed_out += told.timed_out;
    met.late += told.late;
    met.unsent += told.unsent;
    met.in_flight += told.in_flight;
    cancelled += watched.result().cancelled ? 1 : 0;
  }
  EXPECT_EQ(mismatches, 0U);
  // The plans have met everything that can happen, else the oracle would have looked at half the rules only.
  for (const std::uint64_t times :
       {met.ok, met.rejected, met.failed, met.timed_out, met.late, met.unsent, met.in_flight, cancelled}) {
    EXPECT_GT(times, plans / 200) << met;
  }
}

TEST(GeneratorOracle, sees_an_answer_that_was_lost_on_the_way) {
  int seen = 0;
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draw draw(seed);
    draw.trouble = 0;
    draw.cancel_at = -1;
    const Watched sound(draw);
    if (sound.result().ledger.ok == 0) continue;
    ASSERT_EQ(sound.mismatch(), "");
    for (std::uint64_t number = 0; number < 40; ++number) {
      const Watched robbed(draw, number);
      const std::string wrong = robbed.mismatch();
      const bool counted = robbed.expected().answers != robbed.result().answers;  // it was due in the window
      lost += counted ? 1 : 0;
      seen += counted && !wrong.empty() ? 1 : 0;
      if (counted) break;
    }
  }
  EXPECT_GT(lost, 100);
  EXPECT_EQ(seen, lost);
}

TEST(GeneratorOracle, a_ledger_that_counts_an_answer_twice_does_not_balance) {
  const Watched watched{Draw(1)};
  measure::Ledger ledger = watched.result().ledger;
  ledger.in_flight_at_end = watched.expected().in_flight;
  ASSERT_TRUE(ledger.balances());
  ledger.add(Outcome::ok, ErrorCode::none);
  EXPECT_FALSE(ledger.balances());
}

}  // namespace
}  // namespace parkbench::load
