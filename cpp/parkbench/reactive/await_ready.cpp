#include "parkbench/reactive/await_ready.hpp"

namespace parkbench::reactive {
namespace {

/// One wait. All of it happens on the loop's thread. The watch (or the task list) holds one reference, the timer one.
class ReadyWait final : public Node<Subscription>, public io::ReadyWaiter, public Task {
 public:
  ReadyWait(EventLoop& loop, io::Interest interest, UniqueFunction<void(io::Woken)> done)
      : loop_(loop), interest_(interest), done_(std::move(done)) {}

  void start(io::Watch& watch, Deadline deadline) {
    Ref<ReadyWait>(this).leak();  // for whoever ends the wait
    if (watch.wait(interest_, *this)) {
      told_ = loop_.clock().now();
      loop_.post(*this);
      return;
    }
    watch_ = &watch;
    if (deadline.is_never()) return;
    timer_ = loop_.timers().schedule_at(deadline.when(), [self = Ref<ReadyWait>(this), deadline] {
      if (self->take_back()) self->finish({true, deadline.when(), 0});
    });
  }

  void on_ready(Ns told) override {
    const auto self = Ref<ReadyWait>::adopt(this);
    watch_ = nullptr;
    timer_.cancel();
    finish({false, told, 0});
  }
  void run() override {
    const auto self = Ref<ReadyWait>::adopt(this);
    finish({false, told_, 0});
  }
  void request(std::int64_t) noexcept override {}
  void cancel() noexcept override {
    const auto self = Ref<ReadyWait>(this);
    const auto dropped = std::move(done_);
    timer_.cancel();
    take_back();
  }

 private:
  bool take_back() {
    if (watch_ == nullptr || !watch_->cancel(interest_, *this)) return false;
    watch_ = nullptr;
    release();
    return true;
  }
  void finish(io::Woken woken) {
    timer_ = {};
    UniqueFunction<void(io::Woken)> done = std::move(done_);
    if (!done) return;  // cancelled
    woken.running = loop_.clock().now();
    done(woken);
  }

  EventLoop& loop_;
  const io::Interest interest_;
  UniqueFunction<void(io::Woken)> done_;
  io::Watch* watch_ = nullptr;
  Ns told_ = 0;
  TimerHandle timer_;
};

}  // namespace

TimerHandle await_ready(EventLoop& loop, io::IoSource& source, io::Interest interest, Deadline deadline,
                        UniqueFunction<void(io::Woken)> done) {
  auto wait = make_ref<ReadyWait>(loop, interest, std::move(done));
  wait->start(source.watch_at(loop.poller()), deadline);
  return TimerHandle(std::move(wait));
}

Mono<io::Woken> ready(EventLoop& loop, io::IoSource& source, io::Interest interest, Deadline deadline) {
  return Mono<io::Woken>::create([&loop, &source, interest, deadline](MonoSink<io::Woken> sink) {
    // The hook goes in first, with a place for the wait: the sink itself moves into the callback.
    const auto place = std::make_shared<TimerHandle>();
    sink.on_cancel([place] { place->cancel(); });
    *place = await_ready(loop, source, interest, deadline,
                         [sink = std::move(sink)](io::Woken woken) mutable { sink.success(woken); });
  });
}

}  // namespace parkbench::reactive
