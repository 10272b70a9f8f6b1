#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <vector>

#include "parkbench/load/direct_exchange.hpp"
#include "parkbench/load/generator.hpp"

namespace parkbench::load::testing {

using measure::Outcome;
using measure::Request;

/// A system under test on a hand-driven clock: answers each request after a delay that the test decides.
class Simulated final : public Target, public WindowObserver {
 public:
  explicit Simulated(const LoadPlan& plan, std::vector<std::int64_t> expected = {})
      : generator(plan, exchange, clock, *this, std::move(expected)) {}

  bool submit(std::span<Request* const> batch) override {
    for (Request* request : batch) {
      request->accepted = clock.now();
      ++submitted;
      const Ns delay = delay_of(*request);
      if (delay >= 0) pending.emplace(clock.now() + delay, request);
    }
    if (hold_back > 0) clock.advance(hold_back);
    return hold_back > 0;
  }
  void window_opened() override { opened = true; }
  void window_closed() override { closed = true; }

  /// Runs to the end, jumping from event to event.
  void run() {
    constexpr int kMostTurns = 100'000;
    int turns = 0;  // without any time having passed
    while (generator.step()) {
      Ns next = generator.next_event().when();
      if (!pending.empty()) next = std::min(next, pending.begin()->first);
      ASSERT_FALSE(Deadline::at(next).is_never()) << "the run waits for nothing";
      ASSERT_LT(turns, kMostTurns) << "the run looks again and again at a moment that is over";
      turns = next > clock.now() ? 0 : turns + 1;
      if (next > clock.now()) clock.set(next);
      if (stop_at >= 0 && clock.now() >= stop_at) generator.cancel();
      while (!pending.empty() && pending.begin()->first <= clock.now()) {
        Request* request = pending.begin()->second;
        pending.erase(pending.begin());
        if (on_delivery && !on_delivery(*request)) continue;
        if (request->outcome == Outcome::none) request->succeed(answer_of(*request));
        request->answer_ready = clock.now();
        answers.push(*request);
      }
    }
  }

  ManualClock clock{kSecond};
  AnswerQueue answers;
  DirectExchange exchange{*this, answers};
  std::multimap<Ns, Request*> pending;
  std::function<Ns(Request&)> delay_of = [](Request&) { return 10 * kMillisecond; };  // negative: never
  std::function<std::int64_t(Request&)> answer_of = [](Request&) { return 0; };
  std::function<bool(Request&)> on_delivery;  // false: the answer is lost on its way
  Ns hold_back = 0;
  Ns stop_at = -1;
  std::uint64_t submitted = 0;
  bool opened = false;
  bool closed = false;
  Generator generator;
};

}  // namespace parkbench::load::testing
