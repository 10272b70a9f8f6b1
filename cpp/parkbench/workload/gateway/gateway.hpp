#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "parkbench/base/error.hpp"
#include "parkbench/client/answer.hpp"
#include "parkbench/client/connection_pool.hpp"
#include "parkbench/io/blocking_waiter.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/workload/gateway/circuit_breaker.hpp"
#include "parkbench/workload/gateway/fifo_lock.hpp"
#include "parkbench/workload/gateway/passed.hpp"
#include "parkbench/workload/gateway/token_bucket.hpp"
#include "parkbench/workload/options.hpp"

namespace parkbench::workload::gateway {

/// What all requests share at the gateway, and the decisions that need no waiting. Thread-safe.
class Gateway {
 public:
  /// A place at the downstream, or why there is none.
  struct Admission {
    ErrorCode refused = ErrorCode::none;  // bulkhead_full, circuit_open
    CircuitBreaker::Ticket ticket = 0;
  };

  /// options and clock outlive it. @throws Failure(internal) when the downstream's host is no numeric address.
  Gateway(const GatewayOptions& options, const Clock& clock);

  /// The filters in their order: authentication, rate limit. @return the answer of the one that refuses, or nothing.
  std::optional<Passed> filter(const Inbound& inbound, Ns now);
  /// The third filter, routing: the request for the downstream, `/gateway` taken off its path.
  std::string downstream_request(const Inbound& inbound, Ns now) const;

  Admission enter(Ns now);
  void leave(const Admission& admission, CircuitBreaker::Verdict verdict, Ns now);
  /// The latest end of a request's downstream calls.
  Deadline patience(const measure::Request& request, Ns now) const {
    return request.deadline.earlier(Deadline::at(now + options_.downstream_timeout));
  }

  const GatewayOptions& options() const { return options_; }
  const CircuitBreaker& breaker() const { return breaker_; }
  /// Only with Downstream::http.
  client::ConnectionPool& client() { return *client_; }
  bool has_client() const { return client_.has_value(); }

  /// FilterLock::parking.
  FifoLock& parking_lock() { return parking_lock_; }
  /// FilterLock::pinning, and how a carrier or loop waits while it holds it: in the kernel.
  std::mutex& pinning_lock() { return pinning_lock_; }
  io::Waiter& pinned_waiter() { return pinned_waiter_; }

 private:
  const GatewayOptions& options_;
  const std::string expected_authorization_;
  const Ns to_unix_time_;
  TokenBucket bucket_;
  CircuitBreaker breaker_;
  std::atomic<std::int64_t> at_downstream_{0};
  std::optional<client::ConnectionPool> client_;
  FifoLock parking_lock_;
  std::mutex pinning_lock_;
  io::ThreadStateCell cell_;  // the thread's own says `pinned`
  io::WaitGauge gauge_;
  io::BlockingWaiter pinned_waiter_;
};

/// Joins the answers of a request's calls: bodies line by line, the first failing status.
class Joined {
 public:
  void add(client::Answer&& answer);
  Passed take() { return std::move(passed_); }

 private:
  Passed passed_{.status = 0, .body = {}, .headers = {}};
};

/// How the end of a downstream call is told: timeout (the request's own time is up), downstream_timeout, cancelled,
/// and downstream_failed for all else.
Error told_as(const Error& from_call, const measure::Request& request, Ns now);
/// What a request is told that finds no place at the downstream.
Error refusal(ErrorCode code);
inline CircuitBreaker::Verdict verdict_on(const Passed& passed) {
  return passed.status >= 500 ? CircuitBreaker::Verdict::bad : CircuitBreaker::Verdict::good;
}

}  // namespace parkbench::workload::gateway
