#include "parkbench/postgres/query_mono.hpp"

#include <memory>

#include "parkbench/postgres/await_query.hpp"
#include "parkbench/reactive/await_ready.hpp"

namespace parkbench::postgres {
namespace {

using measure::Phase;
using reactive::EventLoop;
using reactive::MonoSink;

/// One execution, driven by the loop.
class QueryRun final : public std::enable_shared_from_this<QueryRun> {
 public:
  QueryRun(Connection& connection, const Statement& statement, const Params& params, EventLoop& loop, Ns sent,
           Deadline deadline, measure::PhaseTrace& trace, MonoSink<Rows> sink)
      : loop_(loop),
        sent_(sent),
        deadline_(deadline),
        trace_(trace),
        sink_(std::move(sink)),
        query_(connection, statement, params) {}

  void start() {
    sink_.on_cancel([self = shared_from_this()] { self->cancel(); });
    go_on({});
  }

 private:
  void go_on(io::Woken woken) {
    const Ns told = woken.told;
    const bool answered = woken.running != 0 && !woken.timed_out && trace_.sampled();
    if (answered) woken.told = query_.connection().arrived(sent_, told);
    const Step step = query_.step();
    if (step == Step::done) {
      if (answered) query_.connection().count_result(woken.told, told);
      turn_to_cpu(woken);
      return query_.failed() ? sink_.error(query_.error()) : sink_.success(query_.take_rows());
    }
    if (woken.timed_out) {
      query_.abandon();
      turn_to_cpu(woken);
      return sink_.error(query_timeout());
    }
    waiting_ = true;
    loop_.gauge().begin(io::WaitReason::io);
    const auto interest = step == Step::want_read ? io::Interest::read : io::Interest::write;
    wait_ = await_ready(loop_, query_.connection().source(), interest, deadline_,
                        [self = shared_from_this()](io::Woken again) {
                          self->wait_over();
                          self->go_on(again);
                        });
  }

  void wait_over() {
    waiting_ = false;
    loop_.gauge().end(io::WaitReason::io);
  }

  void turn_to_cpu(const io::Woken& woken) {
    if (woken.running == 0) return trace_.turn(Phase::cpu, loop_.clock().now());  // nothing was waited for
    trace_.end(woken.told);
    trace_.add(Phase::wakeup, woken.told, woken.running);
    trace_.begin(Phase::cpu, woken.running);
  }

  void cancel() {
    wait_.cancel();
    if (waiting_) wait_over();
    query_.abandon();
  }

  EventLoop& loop_;
  const Ns sent_;
  const Deadline deadline_;
  measure::PhaseTrace& trace_;
  MonoSink<Rows> sink_;
  Query query_;
  bool waiting_ = false;
  reactive::TimerHandle wait_;
};

}  // namespace

reactive::Mono<Rows> query_mono(Connection& connection, const Statement& statement, const Params& params,
                                EventLoop& loop, Deadline deadline, measure::PhaseTrace& trace) {
  return reactive::Mono<Rows>::create([&connection, &statement, params, &loop, deadline, &trace](MonoSink<Rows> sink) {
    const Ns sent = loop.clock().now();
    if (deadline.passed(sent)) return sink.error(query_timeout());  // before the send: the connection stays clean
    trace.turn(Phase::database, sent);
    std::make_shared<QueryRun>(connection, statement, params, loop, sent, deadline, trace, std::move(sink))->start();
  });
}

}  // namespace parkbench::postgres
