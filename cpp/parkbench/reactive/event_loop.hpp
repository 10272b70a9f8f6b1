#pragma once

#include <memory>
#include <span>
#include <string>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/unique_function.hpp"
#include "parkbench/io/poller.hpp"
#include "parkbench/io/thread_state.hpp"
#include "parkbench/io/wait_gauge.hpp"
#include "parkbench/reactive/loop_lag.hpp"
#include "parkbench/reactive/task.hpp"
#include "parkbench/reactive/timers.hpp"

namespace parkbench::reactive {

struct EventLoopOptions {
  const Clock* clock = &SteadyClock::instance();
  std::string name = "loop";  // the thread's name
};

/// One thread that runs tasks, timers and descriptor events in turns, on Boost.Asio's reactor.
///
/// A turn: up to 256 tasks, the timers that are due, then what the reactor has; it blocks only when there is no task.
/// Tasks run in the order in which one thread posted them. Descriptors are watched by poller(), which sits in the
/// reactor as one descriptor: one time stamp per turn, no system call per wait.
class EventLoop {
 public:
  /// @throws Failure(out_of_memory) when the system gives no descriptors.
  explicit EventLoop(EventLoopOptions options = {});
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();  // stops

  /// Starts the thread and waits until it runs. Once.
  void start();
  /// Runs all tasks there are, and those that they post, then ends the thread; timers still set are dropped uncalled,
  /// waits for descriptors must be over. Not from the loop's own thread. May be repeated.
  void stop();

  /// Queues task; any thread, also before start(). False when the loop has ended: task is not run.
  bool post(Task& task);
  /// The same for a function, which is dropped when the loop has ended. What it throws goes to drop_error.
  bool post(UniqueFunction<void()> f);
  /// Queues many in their order, with at most one wake-up and one atomic write for all.
  bool post_all(std::span<Task* const> tasks);

  /// The loop whose thread this is, or null.
  static EventLoop* current();
  bool is_current() const { return current() == this; }

  /// Only its add and remove are for other threads.
  io::Poller& poller();
  Timers& timers();
  const Clock& clock() const;
  /// idle while the thread is blocked in the reactor, on_cpu otherwise; set when it changes, not per task.
  io::ThreadStateCell& cell();
  /// Requests that wait on this loop; begin and end are called by whoever waits.
  io::WaitGauge& gauge();
  /// How late the loop is; measured from its start() on, which whoever wants to know calls.
  LoopLag& lag();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parkbench::reactive
