#pragma once

#include <atomic>

#include "parkbench/reactive/demand.hpp"
#include "parkbench/reactive/streams.hpp"
#include "parkbench/reactive/subscription_slot.hpp"

namespace parkbench::reactive {

/// range: count integers from start on, as they are asked for. Whoever raises the demand from 0 delivers; a request
/// from within on_next only adds, so the depth of calls never grows (rule 3.3).
class Range final : public Node<Publisher<std::int64_t>> {
 public:
  /// @param count not negative; start + count must fit.
  Range(std::int64_t start, std::int64_t count) : start_(start), end_(start + count) {}

  void subscribe(Ref<Subscriber<std::int64_t>> downstream) noexcept override {
    if (start_ == end_) {
      downstream->on_subscribe(NoSubscription::instance());
      return downstream->on_complete();
    }
    const auto run = make_ref<Run>(start_, end_, downstream);
    downstream->on_subscribe(*run);
  }

 private:
  class Run final : public Node<Subscription> {
   public:
    Run(std::int64_t start, std::int64_t end, Ref<Subscriber<std::int64_t>> downstream)
        : next_(start), end_(end), downstream_(std::move(downstream)) {}

    void request(std::int64_t n) noexcept override {
      if (!Demand::valid(n)) {
        std::int64_t none = 0;
        refused_.compare_exchange_strong(none, n == 0 ? kRefusedZero : n, std::memory_order_acq_rel);
        n = 1;  // only to become the one who delivers, or to make that one look
        stop_.store(true, std::memory_order_release);
      }
      if (demand_.add(n) == 0) drain();
    }
    void cancel() noexcept override {
      stop_.store(true, std::memory_order_release);
      if (demand_.add(1) == 0) drain();
    }

   private:
    static constexpr std::int64_t kRefusedZero = std::numeric_limits<std::int64_t>::min() + 1;

    void drain() {
      std::int64_t allowed = demand_.held();
      std::int64_t sent = 0;
      for (;;) {
        for (; sent != allowed && next_ != end_; ++sent) {
          if (stop_.load(std::memory_order_acquire)) return stop();
          downstream_->on_next(std::int64_t{next_++});
        }
        if (stop_.load(std::memory_order_acquire)) return stop();
        // The ends never give the demand back to 0, so that nobody else ever delivers.
        if (next_ == end_) {
          const Ref<Subscriber<std::int64_t>> downstream = std::move(downstream_);
          return downstream->on_complete();
        }
        allowed = demand_.held();
        if (sent != allowed) continue;
        allowed = demand_.produced(sent);
        if (allowed == 0) return;
        sent = 0;
      }
    }
    void stop() {
      const Ref<Subscriber<std::int64_t>> downstream = std::move(downstream_);
      const std::int64_t refused = refused_.load(std::memory_order_acquire);
      if (refused != 0) downstream->on_error(Demand::refusal(refused == kRefusedZero ? 0 : refused));
    }

    std::int64_t next_;
    const std::int64_t end_;
    Ref<Subscriber<std::int64_t>> downstream_;
    Demand demand_;
    std::atomic<bool> stop_{false};
    std::atomic<std::int64_t> refused_{0};
  };

  const std::int64_t start_;
  const std::int64_t end_;
};

}  // namespace parkbench::reactive
