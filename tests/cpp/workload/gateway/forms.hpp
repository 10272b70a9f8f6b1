#pragma once

#include <condition_variable>
#include <latch>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "parkbench/base/thread.hpp"
#include "parkbench/io/blocking_waiter.hpp"
#include "parkbench/virtual_threads/parking_waiter.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"
#include "parkbench/workload/gateway/blocking.hpp"
#include "parkbench/workload/gateway/reactive.hpp"

namespace parkbench::workload::gateway::testing {

struct Result {
  Passed passed;
  Error error;
};

/// A result to come; copies share it. Not a std::promise, which keeps what it is about to call in a thread-local: to
/// TSan's no-sync flag two virtual threads of one carrier race for that.
class Later {
 public:
  void set_value(Result result) const {
    const std::lock_guard lock(state_->mutex);
    state_->result = std::move(result);
    state_->told.notify_all();
  }
  Result get() const {
    std::unique_lock lock(state_->mutex);
    state_->told.wait(lock, [this] { return state_->result.has_value(); });
    return *std::exchange(state_->result, std::nullopt);
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable told;
    std::optional<Result> result;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// A gateway request as each model runs it. On entry of the gateway the phase cpu is open, and it is closed at the end.
class Form {
 public:
  virtual ~Form() = default;
  /// resources and request live until the result is there, inbound's texts too.
  virtual Later start(Resources& resources, measure::Request& request, Inbound inbound) = 0;

 protected:
  static Result run(Resources& resources, measure::Request& request, io::Waiter& waiter, const Inbound& inbound) {
    request.trace.begin(measure::Phase::cpu, resources.clock.now());
    Result result;
    try {
      result.passed = run_blocking(resources, request, waiter, inbound);
    } catch (const Failure& failure) {
      result.error = failure.error();
    }
    request.trace.end(resources.clock.now());
    return result;
  }
};

class OnThreads final : public Form {
 public:
  Later start(Resources& resources, measure::Request& request, Inbound inbound) override {
    const Later over;
    threads_.emplace_back("worker", [&resources, &request, inbound, over] {
      io::ThreadStateCell cell;
      io::WaitGauge gauge;
      io::BlockingWaiter waiter(resources.clock, cell, gauge);
      over.set_value(run(resources, request, waiter, inbound));
    });
    return over;
  }

 private:
  std::list<Thread> threads_;
};

class OnVirtualThreads final : public Form {
 public:
  ~OnVirtualThreads() override { scheduler_.stop(); }
  Later start(Resources& resources, measure::Request& request, Inbound inbound) override {
    const Later over;
    scheduler_.start(
        [this, &resources, &request, inbound, over] { over.set_value(run(resources, request, waiter_, inbound)); });
    return over;
  }

 private:
  virtual_threads::Scheduler scheduler_{{.carriers = 2, .uncaught = {}}};
  virtual_threads::ParkingWaiter waiter_{scheduler_};
};

class OnLoop final : public Form {
 public:
  OnLoop() { loop.start(); }
  Later start(Resources& resources, measure::Request& request, Inbound inbound) override {
    const Later over;
    loop.post([this, &resources, &request, inbound, over] {
      request.trace.begin(measure::Phase::cpu, loop.clock().now());
      handle = run_reactive(resources, request, loop, inbound)
                   .subscribe(
                       [&request, over, this](Passed&& passed) {
                         request.trace.end(loop.clock().now());
                         over.set_value({std::move(passed), {}});
                       },
                       [&request, over, this](Error error) {
                         request.trace.end(loop.clock().now());
                         over.set_value({{.body = {}, .headers = {}}, std::move(error)});
                       });
    });
    return over;
  }
  void cancel() {
    std::latch done(1);
    loop.post([this, &done] {
      handle.dispose();
      done.count_down();
    });
    done.wait();
  }

  reactive::Disposable handle;  // of the last one
  reactive::EventLoop loop;
};

inline std::unique_ptr<Form> make_form(const std::string& model) {
  if (model == "thread_pool") return std::make_unique<OnThreads>();
  if (model == "virtual_threads") return std::make_unique<OnVirtualThreads>();
  return std::make_unique<OnLoop>();
}

}  // namespace parkbench::workload::gateway::testing
