/// Tests the tests: publishers that break one rule must be found out by that rule.

#include <gtest/gtest.h>

#include "parkbench/reactive/flux.hpp"
#include "reactive/support/publisher_rules.hpp"

namespace parkbench::reactive {
namespace {

using Int = std::int64_t;

enum class Fault {
  none,
  ignores_demand,
  sends_one_more_than_asked,
  never_completes,
  signals_after_complete,
  forgets_on_subscribe,
  subscribes_twice,
  recurses,
  ignores_cancel,
  keeps_the_subscriber,
  accepts_zero,
  overflows,
  completes_on_failure,
  waits_for_demand_when_empty,
};

/// A plain publisher on one thread, right unless told otherwise.
class Faulty final : public Node<Publisher<Int>> {
 public:
  Faulty(Fault fault, Int count, bool fails) : fault_(fault), count_(count), fails_(fails) {}

  void subscribe(Ref<Subscriber<Int>> down) noexcept override {
    const auto run = make_ref<Run>(fault_, count_, down);
    if (fault_ != Fault::forgets_on_subscribe) down->on_subscribe(*run);
    if (fault_ == Fault::subscribes_twice) down->on_subscribe(*run);
    if (fails_) return run->end_with_error(fault_ == Fault::completes_on_failure);
    if (fault_ == Fault::ignores_demand) return run->deliver(count_);
    if (fault_ == Fault::forgets_on_subscribe) return run->drop();
    if (count_ == 0 && fault_ != Fault::waits_for_demand_when_empty) run->deliver(0);
  }

 private:
  class Run final : public Node<Subscription> {
   public:
    Run(Fault fault, Int count, Ref<Subscriber<Int>> down) : fault_(fault), left_(count), down_(std::move(down)) {}

    void request(Int n) noexcept override {
      if (!down_ || (cancelled_ && fault_ != Fault::ignores_cancel)) return;
      if (n <= 0 && fault_ != Fault::accepts_zero) {
        const auto down = std::move(down_);
        return down->on_error(Demand::refusal(n));
      }
      if (fault_ == Fault::sends_one_more_than_asked && n > 0) ++n;
      const bool overflow = fault_ == Fault::overflows && demand_ > 0 && n > kUnbounded - demand_;
      demand_ = overflow || demand_ < 0 ? -1 : Demand::sum(demand_, n);
      if (!delivering_ || fault_ == Fault::recurses) deliver(0);
    }
    void cancel() noexcept override {
      cancelled_ = true;
      if (fault_ != Fault::keeps_the_subscriber && fault_ != Fault::ignores_cancel && !delivering_) drop();
    }
    void deliver(Int unasked) {
      demand_ += unasked;
      delivering_ = true;
      while (demand_ > 0 && left_ > 0 && down_ && (!cancelled_ || fault_ == Fault::ignores_cancel)) {
        if (demand_ != kUnbounded) --demand_;
        down_->on_next(Int{--left_});
      }
      delivering_ = false;
      if (cancelled_ && fault_ != Fault::keeps_the_subscriber) return drop();
      if (left_ > 0 || !down_ || fault_ == Fault::never_completes) return;
      const auto down = std::move(down_);
      down->on_complete();
      if (fault_ == Fault::signals_after_complete) down->on_complete();
    }
    void end_with_error(bool completes) {
      const auto down = std::move(down_);
      completes ? down->on_complete() : down->on_error({ErrorCode::db_error, "planted"});
    }
    void drop() { down_.reset(); }

   private:
    const Fault fault_;
    Int left_;
    Ref<Subscriber<Int>> down_;
    Int demand_ = 0;
    bool delivering_ = false;
    bool cancelled_ = false;
  };

  const Fault fault_;
  const Int count_;
  const bool fails_;
};

Subject subject(Fault fault) {
  return {"faulty", 20, [fault](Int n) { return Ref<Publisher<Int>>(make_ref<Faulty>(fault, n, false)); },
          [fault] { return Ref<Publisher<Int>>(make_ref<Faulty>(fault, 3, true)); }};
}

struct Case {
  const char* name;
  Fault fault;
  Verdict (*rule)(const PublisherRules&);
};

class BrokenPublishers : public testing::TestWithParam<Case> {};

TEST_P(BrokenPublishers, is_found_out) {
  const Subject broken = subject(GetParam().fault);
  const Subject sound = subject(Fault::none);
  EXPECT_NE(GetParam().rule(PublisherRules(broken)), "");
  EXPECT_EQ(GetParam().rule(PublisherRules(sound)), "");
}

using Rules = PublisherRules;
INSTANTIATE_TEST_SUITE_P(
    All, BrokenPublishers,
    testing::Values(
        Case{"demand_1_01", Fault::ignores_demand, [](const Rules& r) { return r.never_more_than_requested_1_01(); }},
        Case{"one_more_1_01", Fault::sends_one_more_than_asked,
             [](const Rules& r) { return r.never_more_than_requested_1_01(); }},
        Case{"no_end_1_02", Fault::never_completes, [](const Rules& r) { return r.may_finish_with_fewer_1_02(); }},
        Case{"failure_1_04", Fault::completes_on_failure, [](const Rules& r) { return r.failure_is_on_error_1_04(); }},
        Case{"empty_1_05", Fault::waits_for_demand_when_empty,
             [](const Rules& r) { return r.empty_completes_unasked_1_05(); }},
        Case{"after_end_1_07", Fault::signals_after_complete,
             [](const Rules& r) { return r.silence_after_on_complete_1_07(); }},
        Case{"no_on_subscribe_1_09", Fault::forgets_on_subscribe,
             [](const Rules& r) { return r.on_subscribe_first_and_once_1_09(); }},
        Case{"two_on_subscribe_1_09", Fault::subscribes_twice,
             [](const Rules& r) { return r.on_subscribe_first_and_once_1_09(); }},
        Case{"recursion_3_03", Fault::recurses, [](const Rules& r) { return r.recursion_is_bounded_3_03(); }},
        Case{"cancel_3_06", Fault::ignores_cancel,
             [](const Rules& r) { return r.request_after_cancel_is_nothing_3_06(); }},
        Case{"zero_3_09", Fault::accepts_zero, [](const Rules& r) { return r.refuses_a_demand_of(0); }},
        Case{"cancel_3_12", Fault::ignores_cancel, [](const Rules& r) { return r.cancel_stops_signals_3_12(); }},
        Case{"leak_3_13", Fault::keeps_the_subscriber,
             [](const Rules& r) { return r.cancel_drops_the_subscriber_3_13(); }},
        Case{"overflow_3_17", Fault::overflows, [](const Rules& r) { return r.demand_saturates_3_17(); }}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace parkbench::reactive
