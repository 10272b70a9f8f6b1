#pragma once

#include <future>
#include <list>
#include <memory>
#include <string>

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

/// A gateway request as each model runs it. On entry of the gateway the phase cpu is open, and it is closed at the end.
class Form {
 public:
  virtual ~Form() = default;
  /// resources and request live until the result is there, inbound's texts too.
  virtual std::future<Result> start(Resources& resources, measure::Request& request, Inbound inbound) = 0;

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
  std::future<Result> start(Resources& resources, measure::Request& request, Inbound inbound) override {
    std::promise<Result> over;
    auto future = over.get_future();
    threads_.emplace_back("worker", [&resources, &request, inbound, over = std::move(over)]() mutable {
      io::ThreadStateCell cell;
      io::WaitGauge gauge;
      io::BlockingWaiter waiter(resources.clock, cell, gauge);
      over.set_value(run(resources, request, waiter, inbound));
    });
    return future;
  }

 private:
  std::list<Thread> threads_;
};

class OnVirtualThreads final : public Form {
 public:
  ~OnVirtualThreads() override { scheduler_.stop(); }
  std::future<Result> start(Resources& resources, measure::Request& request, Inbound inbound) override {
    std::promise<Result> over;
    auto future = over.get_future();
    scheduler_.start([this, &resources, &request, inbound, over = std::move(over)]() mutable {
      over.set_value(run(resources, request, waiter_, inbound));
    });
    return future;
  }

 private:
  virtual_threads::Scheduler scheduler_{{.carriers = 2, .uncaught = {}}};
  virtual_threads::ParkingWaiter waiter_{scheduler_};
};

class OnLoop final : public Form {
 public:
  OnLoop() { loop.start(); }
  std::future<Result> start(Resources& resources, measure::Request& request, Inbound inbound) override {
    const auto over = std::make_shared<std::promise<Result>>();
    loop.post([this, &resources, &request, inbound, over] {
      request.trace.begin(measure::Phase::cpu, loop.clock().now());
      handle = run_reactive(resources, request, loop, inbound)
                   .subscribe(
                       [&request, over, this](Passed&& passed) {
                         request.trace.end(loop.clock().now());
                         over->set_value({std::move(passed), {}});
                       },
                       [&request, over, this](Error error) {
                         request.trace.end(loop.clock().now());
                         over->set_value({{.body = {}, .headers = {}}, std::move(error)});
                       });
    });
    return over->get_future();
  }
  void cancel() {
    std::promise<void> done;
    loop.post([this, &done] {
      handle.dispose();
      done.set_value();
    });
    done.get_future().get();
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
