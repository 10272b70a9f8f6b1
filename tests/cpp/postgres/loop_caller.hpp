#pragma once

#include <future>
#include <optional>
#include <utility>
#include <variant>

#include "parkbench/measure/phase.hpp"
#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/mono.hpp"

namespace parkbench::postgres::testing {

/// A running loop, and a way for the test's thread to wait for what happens on it.
class LoopCaller {
 public:
  LoopCaller() { loop.start(); }

  /// Runs f on the loop's thread and waits for what it returns.
  template <class F>
  auto on_loop(F f) {
    std::promise<decltype(f())> done;
    loop.post([&] {
      if constexpr (std::is_void_v<decltype(f())>) {
        f();
        done.set_value();
      } else {
        done.set_value(f());
      }
    });
    return done.get_future().get();
  }

  /// What a subscription will have come to.
  template <class T>
  struct Outcome {
    std::future<std::variant<T, Error>> future;
    reactive::Disposable handle;

    std::variant<T, Error> get() { return future.get(); }
    T value() {
      auto result = get();
      if (const Error* error = std::get_if<Error>(&result)) throw Failure(*error);
      return std::get<T>(std::move(result));
    }
    Error error() {
      auto result = get();
      return std::holds_alternative<Error>(result) ? std::get<Error>(result) : Error{};
    }
    bool over() const { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  };

  /// Subscribes on the loop's thread; make() -> Mono<T> is called there, after the phase cpu was opened in trace.
  template <class F>
  auto subscribe(F make) {
    using T = typename decltype(make())::Value;
    auto outcome = std::make_shared<Outcome<T>>();
    // The callbacks hold the promise alone: they live as long as the handle in outcome.
    const auto promise = std::make_shared<std::promise<std::variant<T, Error>>>();
    outcome->future = promise->get_future();
    on_loop([&] {
      trace.begin(measure::Phase::cpu, loop.clock().now());
      outcome->handle = make().subscribe([promise](T&& value) { promise->set_value(std::move(value)); },
                                         [promise](Error error) { promise->set_value(std::move(error)); });
    });
    return outcome;
  }
  void cancel(const reactive::Disposable& handle) {
    on_loop([&] { handle.dispose(); });
  }
  std::int64_t waiting(io::WaitReason reason) { return loop.gauge().waiting[static_cast<std::size_t>(reason)].load(); }
  Deadline within(Ns time) const { return Deadline::at(loop.clock().now() + time); }
  Deadline soon() const { return within(20 * kSecond); }

  measure::PhaseTrace trace;
  mutable reactive::EventLoop loop;
};

}  // namespace parkbench::postgres::testing
