#pragma once

#include "parkbench/reactive/operators/continuing.hpp"
#include "parkbench/reactive/timers.hpp"

namespace parkbench::reactive {

/// timer: the time `due`, when it has come.
class TimerSource final : public Node<Publisher<Ns>> {
 public:
  TimerSource(Ns due, Timers& timers) : due_(due), timers_(timers) {}

  void subscribe(Ref<Subscriber<Ns>> downstream) noexcept override {
    make_ref<Run>(std::move(downstream))->start(due_, timers_);
  }

 private:
  class Run final : public Scalar<Ns> {
   public:
    using Scalar<Ns>::Scalar;
    explicit Run(Ref<Subscriber<Ns>> downstream) : Scalar<Ns>(std::move(downstream)) {}
    void start(Ns due, Timers& timers) {
      announce();
      if (ended()) return;
      const auto timer = timers.schedule_at(due, [self = Ref<Run>(this), due] { self->fire(due); });
      timer_.set(*timer.subscription());
    }

   private:
    void fire(Ns due) {
      timer_.finish();
      emit(std::move(due));
    }
    void let_go(bool) noexcept override { timer_.cancel(); }
    SubscriptionSlot timer_;
  };

  const Ns due_;
  Timers& timers_;
};

/// delay: the value a fixed time after it came; empty and errors at once, as Reactor's delayElement.
template <class T>
class Delay final : public Node<Publisher<T>> {
 public:
  Delay(Ref<Publisher<T>> source, Ns delay, Timers& timers)
      : source_(std::move(source)), delay_(delay), timers_(timers) {}

  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    make_ref<Stage>(delay_, timers_, std::move(downstream))->start(*source_);
  }

 private:
  class Stage final : public Scalar<T, Subscriber<T>> {
   public:
    Stage(Ns delay, Timers& timers, Ref<Subscriber<T>> downstream)
        : Scalar<T, Subscriber<T>>(std::move(downstream)), delay_(delay), timers_(timers) {}

    void start(Publisher<T>& source) {
      this->announce();
      if (!this->ended()) source.subscribe(Ref<Subscriber<T>>(this));
    }
    void on_subscribe(Subscription& subscription) noexcept override {
      if (upstream_.set(subscription)) subscription.request(kUnbounded);
    }
    void on_next(T&& value) noexcept override {
      if (delayed_) return;
      delayed_ = true;
      upstream_.finish();
      // The value travels in the timer's function, so that a cancelled timer drops it.
      const auto timer = timers_.schedule_at(
          timers_.now() + delay_, [self = Ref<Stage>(this), kept = std::move(value)]() mutable { self->fire(kept); });
      timer_.set(*timer.subscription());
    }
    void on_error(Error error) noexcept override {
      if (delayed_) return drop_error(error);
      upstream_.finish();
      this->fail(std::move(error));
    }
    void on_complete() noexcept override {
      if (delayed_) return;
      upstream_.finish();
      this->complete();
    }

   private:
    void fire(T& value) {
      timer_.finish();
      this->emit(std::move(value));
    }
    void let_go(bool) noexcept override {
      upstream_.cancel();
      timer_.cancel();
    }

    const Ns delay_;
    Timers& timers_;
    SubscriptionSlot upstream_;
    SubscriptionSlot timer_;
    bool delayed_ = false;
  };

  const Ref<Publisher<T>> source_;
  const Ns delay_;
  Timers& timers_;
};

/// timeout: the error ErrorCode::timeout, and the upstream cancelled, when nothing came in time after the subscription.
template <class T>
class Timeout final : public Node<Publisher<T>> {
 public:
  Timeout(Ref<Publisher<T>> source, Ns limit, Timers& timers)
      : source_(std::move(source)), limit_(limit), timers_(timers) {}

  void subscribe(Ref<Subscriber<T>> downstream) noexcept override {
    make_ref<Stage>(std::move(downstream))->start(*source_, limit_, timers_);
  }

 private:
  class Stage final : public Scalar<T> {
   public:
    explicit Stage(Ref<Subscriber<T>> downstream) : Scalar<T>(std::move(downstream)) {}

    void start(Publisher<T>& source, Ns limit, Timers& timers) {
      this->announce();
      if (this->ended()) return;
      const auto timer = timers.schedule_at(timers.now() + limit, [self = Ref<Stage>(this), limit] {
        self->timer_.finish();
        if (!self->settled()) self->fail({ErrorCode::timeout, "no answer within " + in_milliseconds(limit)});
      });
      if (timer_.set(*timer.subscription())) source.subscribe(Ref<Subscriber<T>>(&first_));
    }

   private:
    friend class Forwarding<Stage, T>;
    static std::string in_milliseconds(Ns time) { return std::to_string(time / kMillisecond) + " ms"; }
    void let_go(bool) noexcept override {
      upstream_.cancel();
      timer_.cancel();
    }

    SubscriptionSlot upstream_;
    SubscriptionSlot timer_;
    Forwarding<Stage, T> first_{*this};
  };

  const Ref<Publisher<T>> source_;
  const Ns limit_;
  Timers& timers_;
};

}  // namespace parkbench::reactive
