#include "parkbench/workload/stream/reactive.hpp"

#include <memory>

#include "parkbench/reactive/demand.hpp"
#include "parkbench/reactive/operators/create.hpp"
#include "parkbench/workload/stream/row.hpp"

namespace parkbench::workload::stream {
namespace {

using measure::Phase;
using reactive::EventLoop;
using reactive::Ref;

/// One subscription. All of it happens on the loop's thread, so plain numbers do.
class RowRun final : public reactive::Node<reactive::Subscription> {
 public:
  RowRun(std::uint32_t rows, Ns every, EventLoop& loop, measure::PhaseTrace* trace,
         Ref<reactive::Subscriber<std::string>> downstream)
      : rows_(rows), every_(every), loop_(loop), trace_(trace), downstream_(std::move(downstream)) {}

  void request(std::int64_t n) noexcept override {
    if (!downstream_) return;
    if (!reactive::Demand::valid(n)) {
      const auto downstream = end();
      return downstream->on_error(reactive::Demand::refusal(n));
    }
    demand_ = reactive::Demand::sum(demand_, n);
    drain();
  }
  void cancel() noexcept override { end(); }

 private:
  Ref<reactive::Subscriber<std::string>> end() {
    if (waiting_) loop_.gauge().end(io::WaitReason::app_wait);
    waiting_ = false;
    timer_.cancel();
    return std::move(downstream_);
  }

  /// Gives rows until the demand is met, the next one is not due yet, or there is none. A request from within on_next
  /// only adds to the demand.
  void drain() {
    if (draining_ || waiting_) return;
    draining_ = true;
    while (downstream_ && demand_ > 0 && !must_wait()) {
      if (demand_ != reactive::kUnbounded) --demand_;
      due_ = every_ > 0 ? loop_.clock().now() + every_ : 0;
      const Ref<reactive::Subscriber<std::string>> downstream = downstream_;
      downstream->on_next(row_text(++row_));
      if (row_ == rows_ && downstream_) end()->on_complete();
    }
    draining_ = false;
  }

  bool must_wait() {
    if (every_ <= 0 || row_ == 0) return false;
    const Ns now = loop_.clock().now();
    if (now >= due_) return false;
    waiting_ = true;
    loop_.gauge().begin(io::WaitReason::app_wait);
    if (trace_ != nullptr) trace_->turn(Phase::app_wait, now);
    timer_ = loop_.timers().schedule_at(due_, [self = Ref<RowRun>(this)] { self->wait_over(); });
    return true;
  }

  void wait_over() {
    if (!waiting_) return;
    waiting_ = false;
    timer_ = {};
    loop_.gauge().end(io::WaitReason::app_wait);
    if (trace_ != nullptr) {
      const Ns running = loop_.clock().now();
      trace_->end(due_);
      trace_->add(Phase::wakeup, due_, running);
      trace_->begin(Phase::cpu, running);
    }
    drain();
  }

  const std::uint32_t rows_;
  const Ns every_;
  EventLoop& loop_;
  measure::PhaseTrace* const trace_;
  Ref<reactive::Subscriber<std::string>> downstream_;
  std::uint32_t row_ = 0;
  std::int64_t demand_ = 0;
  Ns due_ = 0;
  bool draining_ = false;
  bool waiting_ = false;
  reactive::TimerHandle timer_;
};

class RowSource final : public reactive::Node<reactive::Publisher<std::string>> {
 public:
  RowSource(std::uint32_t rows, Ns every, EventLoop& loop, measure::PhaseTrace* trace)
      : rows_(rows), every_(every), loop_(loop), trace_(trace) {}

  void subscribe(Ref<reactive::Subscriber<std::string>> downstream) noexcept override {
    if (rows_ == 0) {
      downstream->on_subscribe(reactive::NoSubscription::instance());
      return downstream->on_complete();
    }
    const auto run = reactive::make_ref<RowRun>(rows_, every_, loop_, trace_, downstream);
    downstream->on_subscribe(*run);
  }

 private:
  const std::uint32_t rows_;
  const Ns every_;
  EventLoop& loop_;
  measure::PhaseTrace* const trace_;
};

}  // namespace

reactive::Flux<std::string> rows_flux(Resources& resources, std::uint32_t rows, EventLoop& loop,
                                      measure::PhaseTrace* trace) {
  return reactive::Flux<std::string>(reactive::make_ref<RowSource>(rows, resources.options.row_every, loop, trace));
}

reactive::Mono<std::int64_t> run_reactive(Resources& resources, measure::Request& request, EventLoop& loop) {
  using Answer = reactive::Mono<std::int64_t>;
  return Answer::create([&resources, &request, &loop](reactive::MonoSink<std::int64_t> sink) {
    struct Count {
      std::int64_t rows = 0;
      reactive::MonoSink<std::int64_t> sink;
    };
    const auto count = std::make_shared<Count>(Count{0, std::move(sink)});
    const auto subscription = rows_flux(resources, resources.options.rows, loop, &request.trace)
                                  .subscribe([count](std::string&&) { ++count->rows; },
                                             [count](const Error& error) { count->sink.error(error); },
                                             [count] { count->sink.success(count->rows); });
    // A circle until the end: the sink keeps its hook, the hook the subscription, and that one the sink.
    count->sink.on_cancel([subscription] { subscription.dispose(); });
  });
}

}  // namespace parkbench::workload::stream
