#pragma once

/// The four roles of Reactive Streams (https://www.reactive-streams.org, version 1.0.4) in C++.
///
/// THE OWNERSHIP RULE. All of this layer follows it; each sentence is one reason why no operator needs its own.
///
///  1. Every object of a chain counts its references (Counted). Whoever signals holds a Ref<Subscriber>, whoever may
///     cancel later holds a Ref<Subscription>. That is a cycle, on purpose: neither end can vanish under the other.
///  2. The cycle is cut by the source, exactly once: with the terminal signal or with cancel it gives up its
///     Ref<Subscriber>. A subscriber gives up its Ref<Subscription> when it gets the terminal signal or cancels.
///     An operator in the middle does nothing: it ends when its upstream and its downstream have let go of it.
///  3. Who calls, holds. During subscribe, request, cancel and every signal the caller has a reference to the callee
///     (usually on its stack), and a sender outlives the signal that it sends. So a member function never guards
///     itself, and an operator that calls its upstream only from within a signal may keep a plain pointer to it.
///  4. Signals to one subscriber are serial. Where several threads can want to signal or to end (request, cancel,
///     value, timer), one atomic word decides: ScalarGate for one value, Demand for many (who raises it from 0 drains,
///     all others only add). The winner alone touches the subscriber.
///  5. Signals, request, cancel and subscribe do not throw. User functions may: the operator that calls one turns what
///     it throws into on_error. Running out of memory for a node of a chain ends the process.
///
/// Values move from stage to stage. Errors are the value parkbench::Error.

#include <cstdint>
#include <limits>

#include "parkbench/base/error.hpp"
#include "parkbench/reactive/counted.hpp"

namespace parkbench::reactive {

/// Demand that is never used up (rule 3.17).
inline constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

/// The element of a Mono that only says "done".
struct Unit {};

/// The link between one subscriber and its publisher.
class Subscription : public Counted {
 public:
  /// Allows n more elements. n < 1 ends the stream with an error that names rule 3.9.
  virtual void request(std::int64_t n) noexcept = 0;
  /// Ends interest; thread-safe, quick, may be repeated. Signals under way may still arrive.
  virtual void cancel() noexcept = 0;

 protected:
  ~Subscription() = default;
};

/// Receives on_subscribe once, then at most as many on_next as requested, then at most one of on_error, on_complete.
template <class T>
class Subscriber : public Counted {
 public:
  /// @param subscription alive during this call; take a Ref to use it later.
  virtual void on_subscribe(Subscription& subscription) noexcept = 0;
  virtual void on_next(T&& value) noexcept = 0;
  virtual void on_error(Error error) noexcept = 0;
  virtual void on_complete() noexcept = 0;

 protected:
  ~Subscriber() = default;
};

/// A recipe for a stream; each subscription runs it anew.
template <class T>
class Publisher : public Counted {
 public:
  /// @param subscriber not null (Mono and Flux check it).
  virtual void subscribe(Ref<Subscriber<T>> subscriber) noexcept = 0;

 protected:
  ~Publisher() = default;
};

}  // namespace parkbench::reactive
