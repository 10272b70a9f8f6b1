#pragma once

#include <functional>
#include <limits>
#include <ostream>
#include <string>

#include "reactive/support/probe.hpp"

namespace parkbench::reactive {

/// What is put through the rules: makes publishers of 0, 1, 2, ... elements.
struct Subject {
  std::string name;
  std::int64_t most = 1;  // elements it can have; a Mono has 1, and tests that need more are skipped
  std::function<Ref<Publisher<std::int64_t>>(std::int64_t elements)> make;
  std::function<Ref<Publisher<std::int64_t>>()> make_failed;
  std::function<void()> pump = [] {};  // lets virtual time pass until nothing happens any more
};

inline void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

/// Each rule as a function: empty when it holds, else what was seen. So a test can expect a violation, too.
using Verdict = std::string;

class PublisherRules {
 public:
  explicit PublisherRules(const Subject& subject) : subject_(subject) {}

  Verdict never_more_than_requested_1_01() const {
    const auto probe = run(subject_.most >= 5 ? 5 : 1);
    settle();
    if (!probe->values.empty()) return finish(*probe) + "a value before any request";
    const std::size_t first = step(*probe, 1);
    if (first != 1) return finish(*probe) + "request(1) gave " + std::to_string(first);
    if (subject_.most < 5) return finish(*probe);
    step(*probe, 1);
    const std::size_t all = step(*probe, 2);
    return all == 4 ? finish(*probe) : finish(*probe) + "1, 1 and 2 asked for, got " + std::to_string(all);
  }
  Verdict may_finish_with_fewer_1_02() const {
    const auto probe = run(subject_.most);
    step(*probe, subject_.most + 7);
    return expect(*probe, std::string(static_cast<std::size_t>(subject_.most), 'n') + 'c');
  }
  Verdict failure_is_on_error_1_04() const {
    if (!subject_.make_failed) return {};
    const auto probe = make_ref<Probe<std::int64_t>>();
    subject_.make_failed()->subscribe(probe);
    step(*probe, 1);
    return expect(*probe, "e");
  }
  Verdict empty_completes_unasked_1_05() const {
    const auto probe = run(0);
    settle();
    return expect(*probe, "c");
  }
  Verdict silence_after_on_complete_1_07() const {
    const auto probe = run(1);
    const Ref<Subscription> kept = probe->upstream;
    step(*probe, 10);
    if (kept) kept->request(10), kept->cancel(), kept->request(0);
    settle();
    return expect(*probe, "nc");
  }
  Verdict on_subscribe_first_and_once_1_09() const {
    const auto probe = make_ref<Probe<std::int64_t>>();
    bool late = false;
    probe->at_subscribe = [&](Probe<std::int64_t>& p) { late = !p.signals.empty(); };
    subject_.make(1)->subscribe(probe);
    step(*probe, 1);
    finish(*probe);
    if (late) return "a signal before on_subscribe";
    return probe->subscribed == 1 ? Verdict{} : std::to_string(probe->subscribed) + " on_subscribe";
  }
  Verdict several_subscribers_1_11() const {
    const auto publisher = subject_.make(1);
    for (int i = 0; i < 2; ++i) {
      const auto probe = make_ref<Probe<std::int64_t>>();
      publisher->subscribe(probe);
      step(*probe, 1);
      if (const Verdict seen = expect(*probe, "nc"); !seen.empty()) return seen;
    }
    return {};
  }
  Verdict recursion_is_bounded_3_03() const {
    const auto probe = make_ref<Probe<std::int64_t>>();
    probe->at_subscribe = [](Probe<std::int64_t>& p) { p.request(1); };
    probe->at_next = [](Probe<std::int64_t>& p) { p.request(1); };
    subject_.make(std::min<std::int64_t>(subject_.most, 1'000))->subscribe(probe);
    settle();
    return probe->deepest <= 1 ? Verdict{} : "on_next " + std::to_string(probe->deepest) + " deep";
  }
  Verdict request_after_cancel_is_nothing_3_06() const {
    const auto probe = run(1);
    const Ref<Subscription> kept = probe->upstream;
    kept->cancel();
    for (const std::int64_t n : {1, 2, 0}) kept->request(n);
    settle();
    return expect(*probe, "");
  }
  Verdict cancel_after_cancel_is_nothing_3_07() const {
    const auto probe = run(1);
    const Ref<Subscription> kept = probe->upstream;
    for (int i = 0; i < 3; ++i) kept->cancel();
    settle();
    return expect(*probe, "");
  }
  Verdict refuses_a_demand_of(std::int64_t n) const {  // 3.9
    const auto probe = run(1);
    step(*probe, n);
    step(*probe, 1);
    if (probe->signals != "e") return finish(*probe) + "signals '" + probe->signals + "'";
    const Error& error = probe->errors.front();
    if (error.code != ErrorCode::internal) return "code " + std::string(to_string(error.code));
    const bool named =
        error.message.find("3.9") != std::string::npos && error.message.find(std::to_string(n)) != std::string::npos;
    return named ? Verdict{} : "message '" + error.message + "'";
  }
  Verdict cancel_stops_signals_3_12() const {
    const auto probe = make_ref<Probe<std::int64_t>>();
    probe->at_next = [](Probe<std::int64_t>& p) { p.cancel(); };
    subject_.make(subject_.most)->subscribe(probe);
    step(*probe, 10);
    step(*probe, 5);
    return probe->values.size() == 1 ? Verdict{} : std::to_string(probe->values.size()) + " values after a cancel";
  }
  Verdict cancel_drops_the_subscriber_3_13() const {
    const auto marker = std::make_shared<int>(0);
    auto probe = run(1);
    probe->at_next = [marker](Probe<std::int64_t>&) {};
    {
      const Ref<Subscription> kept = std::move(probe->upstream);
      kept->cancel();
      settle();
      probe.reset();
      if (marker.use_count() != 1) return "the cancelled subscription still holds its subscriber";
    }
    return {};
  }
  Verdict demand_saturates_3_17() const {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const auto probe = run(subject_.most);
    probe->at_next = [](Probe<std::int64_t>& p) { p.request(kMost - 1); };
    step(*probe, kMost - 1);
    if (!probe->ended()) step(*probe, 5);
    return expect(*probe, std::string(static_cast<std::size_t>(subject_.most), 'n') + 'c');
  }

 private:
  Ref<Probe<std::int64_t>> run(std::int64_t elements) const {
    auto probe = make_ref<Probe<std::int64_t>>();
    subject_.make(elements)->subscribe(probe);
    return probe;
  }
  void settle() const { subject_.pump(); }
  std::size_t step(Probe<std::int64_t>& probe, std::int64_t n) const {
    probe.request(n);
    settle();
    return probe.values.size();
  }
  /// Cuts the cycle when the stream did not end by itself.
  Verdict finish(Probe<std::int64_t>& probe) const {
    probe.cancel();
    probe.upstream.reset();
    return {};
  }
  Verdict expect(Probe<std::int64_t>& probe, const std::string& signals) const {
    finish(probe);
    return probe.signals == signals ? Verdict{} : "signals '" + probe.signals + "', expected '" + signals + "'";
  }

  const Subject& subject_;
};

}  // namespace parkbench::reactive
