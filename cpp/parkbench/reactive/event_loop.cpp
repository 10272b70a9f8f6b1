#include "parkbench/reactive/event_loop.hpp"

#define BOOST_ASIO_NO_DEPRECATED
#define BOOST_ASIO_NO_TS_EXECUTORS
#define BOOST_ASIO_DISABLE_BOOST_COROUTINE
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <latch>

#include "parkbench/base/error.hpp"
#include "parkbench/base/thread.hpp"
#include "parkbench/reactive/callback.hpp"
#include "parkbench/reactive/loop_timers.hpp"

namespace parkbench::reactive {
namespace {

namespace asio = boost::asio;

thread_local EventLoop* current_loop = nullptr;

// Tasks between two looks at timers and the reactor: a look costs a system call (about 0.4 us), a task may cost 0.1 us.
constexpr int kTasksPerTurn = 256;

struct FunctionTask final : Task {
  explicit FunctionTask(UniqueFunction<void()> function) : f(std::move(function)) {}
  void run() override {
    const std::unique_ptr<FunctionTask> self(this);
    try {
      f();
    } catch (...) {
      drop_error(error_of_exception());
    }
  }
  UniqueFunction<void()> f;
};

}  // namespace

class EventLoop::Impl {
 public:
  Impl(EventLoop& loop, EventLoopOptions options)
      : loop_(loop),
        clock_(*options.clock),
        name_(std::move(options.name)),
        poller_(clock_),
        timers_(loop, clock_),
        lag_(loop),
        ready_(io_, poller_.fd()),
        alarm_(io_),
        work_(io_.get_executor()) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (!started_ && !inbox_.close()) start();  // tasks that came before the start are run, as promised
    stop();
    ready_.release();  // the descriptor is the poller's, which closes it
  }

  void start() {
    started_ = true;
    std::latch up(1);
    thread_ = Thread(name_, [this, &up] {
      current_loop = &loop_;
      cell_.thread_id.store(current_thread_id(), std::memory_order_relaxed);
      cell_.set(io::ThreadState::on_cpu);
      up.count_down();
      run();
      current_loop = nullptr;
    });
    up.wait();
  }

  void stop() {
    if (!thread_.joinable()) return;
    stopping_.store(true, std::memory_order_release);
    wake();
    thread_.join();
  }

  bool post_all(std::span<Task* const> tasks) {
    if (loop_.is_current()) {
      for (Task* task : tasks) local_.push(*task);
      return true;
    }
    const Inbox::Posted posted = inbox_.push(tasks);
    if (posted == Inbox::Posted::wake) wake();
    return posted != Inbox::Posted::refused;
  }

 private:
  friend class EventLoop;

  void run() {
    for (;;) {
      run_tasks();
      timers_.run_due();
      if (stopping_.load(std::memory_order_acquire) && local_.empty() && inbox_.close()) break;
      turn_to_reactor();
    }
    timers_.drop_all();
    while (Task* task = local_.pop()) task->run();  // what the dropped timers still posted
    cell_.set(io::ThreadState::idle);
  }

  void run_tasks() {
    local_.append_reversed(inbox_.take());
    for (int i = 0; i < kTasksPerTurn; ++i) {
      Task* task = local_.pop();
      if (task == nullptr) return;
      task->run();
    }
  }

  /// Runs what the poller has; without that and without tasks it blocks in the reactor until there is one thing, which
  /// it runs. The reactor is where the loop sleeps, and no more: asked on each turn it would cost two system calls
  /// besides the poller's own (7 % of an HTTP request at 64 connections). What waits in it meanwhile are wake-ups.
  void turn_to_reactor() {
    if (poller_.poll(0) > 0 || !local_.empty() || !inbox_.begin_sleep()) return;
    listen();
    // stop() sets its flag and then wakes, so a flag set since the last look has left a wake-up in the reactor.
    arm_alarm();
    cell_.set(io::ThreadState::idle);
    io_.run_one();
    cell_.set(io::ThreadState::on_cpu);
    inbox_.end_sleep();
  }

  /// Asks the reactor for the poller's descriptor. Asking looks at it again, so events after the last poll are seen.
  void listen() {
    if (listening_) return;
    listening_ = true;
    ready_.async_wait(asio::posix::descriptor_base::wait_read, [this](const boost::system::error_code& error) {
      listening_ = false;
      if (error) return;
      awake();
      poller_.poll(0);  // one batch; what is left makes the next listen() succeed at once
    });
  }

  /// Has the reactor return when the earliest timer is due. A timer that went away leaves a needless wake-up: cheaper
  /// than setting the alarm again for each request whose timeout was cancelled.
  void arm_alarm() {
    const Deadline next = timers_.next();
    if (next.is_never() || next.when() >= alarm_at_) return;
    alarm_at_ = next.when();
    alarm_.expires_after(std::chrono::nanoseconds(next.left(clock_.now())));
    alarm_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;  // set anew, for an earlier time
      awake();
      alarm_at_ = kNoAlarm;
    });
  }

  void awake() { cell_.set(io::ThreadState::on_cpu); }
  void wake() {
    asio::post(io_, [this] { awake(); });
  }
  static constexpr Ns kNoAlarm = std::numeric_limits<Ns>::max();

  EventLoop& loop_;
  const Clock& clock_;
  const std::string name_;
  Inbox inbox_;
  alignas(64) TaskList local_;
  asio::io_context io_{1};
  io::Poller poller_;
  LoopTimers timers_;
  LoopLag lag_;
  asio::posix::stream_descriptor ready_;
  asio::steady_timer alarm_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  bool listening_ = false;
  Ns alarm_at_ = kNoAlarm;
  bool started_ = false;
  std::atomic<bool> stopping_{false};
  io::ThreadStateCell cell_;
  io::WaitGauge gauge_;
  Thread thread_;
};

EventLoop::EventLoop(EventLoopOptions options) : impl_(std::make_unique<Impl>(*this, std::move(options))) {}
EventLoop::~EventLoop() = default;

void EventLoop::start() { impl_->start(); }
void EventLoop::stop() { impl_->stop(); }

bool EventLoop::post(Task& task) {
  Task* one = &task;
  return impl_->post_all({&one, 1});
}

bool EventLoop::post(UniqueFunction<void()> f) {
  auto task = std::make_unique<FunctionTask>(std::move(f));
  if (!post(*task)) return false;
  task.release();  // NOLINT(bugprone-unused-return-value): run() deletes it
  return true;
}

bool EventLoop::post_all(std::span<Task* const> tasks) { return impl_->post_all(tasks); }

// Not inlined: a virtual thread must never keep the address of a thread-local across a park.
[[gnu::noinline]] EventLoop* EventLoop::current() { return current_loop; }

io::Poller& EventLoop::poller() { return impl_->poller_; }
Timers& EventLoop::timers() { return impl_->timers_; }
const Clock& EventLoop::clock() const { return impl_->clock_; }
io::ThreadStateCell& EventLoop::cell() { return impl_->cell_; }
io::WaitGauge& EventLoop::gauge() { return impl_->gauge_; }
LoopLag& EventLoop::lag() { return impl_->lag_; }

}  // namespace parkbench::reactive
