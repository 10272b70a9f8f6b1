#include "parkbench/workload/gateway/gateway.hpp"

#include <array>
#include <charconv>

namespace parkbench::workload::gateway {
namespace {

constexpr std::string_view kPrefix = "/gateway";

/// Takes as long for a wrong text as for the right one of the same length.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Gateway::Gateway(const GatewayOptions& options, const Clock& clock)
    : options_(options),
      expected_authorization_(options.token.empty() ? "" : "Bearer " + options.token),
      to_unix_time_(unix_time() - clock.now()),
      bucket_(options.rate_limit),
      parking_lock_(clock),
      pinned_waiter_(clock, cell_, gauge_) {
  if (options.downstream == Downstream::http) {
    client_.emplace(client::Address(options.host, options.port), options.downstream_connections, clock);
  }
}

std::optional<Passed> Gateway::filter(const Inbound& inbound, Ns now) {
  if (inbound.denied) return Passed{.status = 403, .body = "denied", .headers = {}};
  if (!expected_authorization_.empty() && !equal_in_constant_time(inbound.authorization, expected_authorization_)) {
    return Passed{.status = 401, .body = "unauthorized", .headers = "WWW-Authenticate: Bearer\r\n"};
  }
  if (!bucket_.take(now)) {
    return Passed{.status = 429, .body = "too many requests", .headers = "Retry-After: 1\r\n"};
  }
  return std::nullopt;
}

std::string Gateway::downstream_request(const Inbound& inbound, Ns now) const {
  std::string_view path = inbound.path;
  if (path.starts_with(kPrefix)) path.remove_prefix(kPrefix.size());
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), now + to_unix_time_).ptr;
  const std::string_view started(digits.data(), static_cast<std::size_t>(end - digits.data()));
  const std::string& host = client_->address().text();
  std::string text;
  text.reserve(path.size() + inbound.query.size() + host.size() + started.size() + 64);
  text.append("GET ").append(path.empty() ? "/" : path);
  if (!inbound.query.empty()) text.append("?").append(inbound.query);
  text.append(" HTTP/1.1\r\nHost: ").append(host).append("\r\nX-Request-Start: ").append(started).append("\r\n\r\n");
  return text;
}

Gateway::Admission Gateway::enter(Ns now) {
  if (options_.bulkhead > 0 && at_downstream_.fetch_add(1, std::memory_order_relaxed) >= options_.bulkhead) {
    at_downstream_.fetch_sub(1, std::memory_order_relaxed);
    return {.refused = ErrorCode::bulkhead_full};
  }
  if (!options_.circuit_breaker) return {};
  if (const auto ticket = breaker_.admit(now)) return {.ticket = *ticket};
  if (options_.bulkhead > 0) at_downstream_.fetch_sub(1, std::memory_order_relaxed);
  return {.refused = ErrorCode::circuit_open};
}

void Gateway::leave(const Admission& admission, CircuitBreaker::Verdict verdict, Ns now) {
  if (options_.bulkhead > 0) at_downstream_.fetch_sub(1, std::memory_order_relaxed);
  if (options_.circuit_breaker) breaker_.report(admission.ticket, verdict, now);
}

void Joined::add(client::Answer&& answer) {
  if (passed_.status == 0) {
    passed_.status = answer.status;
    passed_.body = std::move(answer.body);
    if (!answer.content_type.empty()) passed_.content_type = answer.content_type;
    return;
  }
  if (passed_.status < 400 && answer.status >= 400) passed_.status = answer.status;
  passed_.body.append("\n").append(answer.body);
}

Error told_as(const Error& from_call, const measure::Request& request, Ns now) {
  switch (from_call.code) {
    case ErrorCode::timeout:
    case ErrorCode::connect_timeout:
    case ErrorCode::pool_timeout:
      if (request.deadline.passed(now)) return {ErrorCode::timeout, from_call.message};
      return {ErrorCode::downstream_timeout, from_call.message};
    case ErrorCode::cancelled:
    case ErrorCode::internal:
    case ErrorCode::out_of_memory:
      return from_call;
    default:
      return {ErrorCode::downstream_failed, std::string(to_string(from_call.code)) + ": " + from_call.message};
  }
}

Error refusal(ErrorCode code) {
  return {code, code == ErrorCode::circuit_open ? "the downstream fails too often; it is spared for a while"
                                                : "too many requests are at the downstream"};
}

}  // namespace parkbench::workload::gateway
