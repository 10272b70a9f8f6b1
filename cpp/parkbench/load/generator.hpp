#pragma once

#include <atomic>
#include <vector>

#include "parkbench/base/random.hpp"
#include "parkbench/load/exchange.hpp"
#include "parkbench/load/load_plan.hpp"
#include "parkbench/load/load_result.hpp"
#include "parkbench/load/outstanding.hpp"
#include "parkbench/load/schedule.hpp"
#include "parkbench/load/timing_sample.hpp"
#include "parkbench/load/window.hpp"

namespace parkbench::load {

/// Told, on the generator's thread, when the window opens and closes.
class WindowObserver {
 public:
  virtual ~WindowObserver() = default;
  virtual void window_opened() = 0;
  virtual void window_closed() = 0;
};

/// Sends what the plan says is due, follows every request to its outcome, and keeps the books.
///
/// One thread calls run(); step() is one turn of it, for tests that drive the clock by hand. Response times count
/// from the due time. The load goes on during the drain, so that the last requests of the window meet the same system
/// as the first.
class Generator {
 public:
  /// @param expected final price by product id - 1; empty: answers are not checked.
  Generator(const LoadPlan& plan, Exchange& exchange, const Clock& clock, WindowObserver& observer,
            std::vector<std::int64_t> expected);

  void run();
  /// Thread-safe: sends nothing more, waits a moment for what is under way, ends.
  void cancel();

  /// One turn: answers, time-outs, the window, what is due. False when the run is over.
  bool step();
  /// When step() has something to do if no answer comes before.
  Deadline next_event() const;

  const LoadResult& result() const { return result_; }

  enum class Stage : std::uint8_t { warm_up, measure, drain, done };
  struct Progress {
    Stage stage;
    std::uint64_t ok;
    std::uint64_t failed;
    std::uint64_t in_flight;
  };
  Progress progress() const;

 private:
  void begin();
  Ns receive(Ns now);
  void on_answer(measure::Request& request, Ns got);
  void count_answer(measure::Request& request, Ns got);
  void expire(Ns now);
  void give_up(measure::Request& request, Ns now);
  void user_free(std::uint32_t user, Ns at);
  void schedule_round(Ns at);
  void move_window(Ns now);
  void round_boundary(Ns at);
  void open_window(Ns at);
  void close_window(Ns at, bool too_short);
  void send_due(Ns now);
  measure::Request& prepare(const Due& due, Ns sent);
  bool finished(Ns now);
  void integrate(Ns now);
  bool more_wanted() const;

  void waited(Ns from, Ns to);

  static constexpr std::size_t kMostBatch = 64;
  static constexpr Ns kCancelGrace = kSecond;

  const LoadPlan plan_;
  Exchange& exchange_;
  const Clock& clock_;
  WindowObserver& observer_;
  const std::vector<std::int64_t> expected_;
  Random random_;

  Window window_;
  Outstanding outstanding_;
  Schedule schedule_;
  TimingSample timing_;
  std::vector<std::uint64_t> sent_by_user_;  // counted requests, for requests_per_user
  std::vector<bool> finished_once_;
  std::size_t users_finished_ = 0;
  std::uint64_t counted_outstanding_ = 0;
  std::uint64_t next_number_ = 0;
  Ns started_ = -1;
  Ns held_back_until_ = 0;  // the exchange kept the generator waiting until then
  Ns integrated_to_ = 0;
  Ns round_at_ = 0;
  Ns generator_cpu_at_open_ = 0;
  Ns cancelled_at_ = 0;
  bool stop_sending_ = false;
  std::atomic<bool> cancel_{false};
  std::atomic<Stage> stage_{Stage::warm_up};
  std::atomic<std::uint64_t> ok_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> in_flight_{0};
  LoadResult result_;
};

}  // namespace parkbench::load
