#include "parkbench/load/answer_check.hpp"

#include <charconv>

#include "parkbench/measure/server_timing.hpp"

namespace parkbench::load {
namespace {

/// What our own server says of an answer 5xx; a cause that would be another outcome stays a mere status.
ErrorCode cause_of(const http::ClientSession& session) {
  const ErrorCode named = error_code(session.header("X-Parkbench-Cause"));
  const bool other = named == ErrorCode::none || named == ErrorCode::rejected || named == ErrorCode::timeout;
  return other ? ErrorCode::status_5xx : named;
}

bool as_asked(const HttpPlan& plan, const http::ClientSession& session, measure::Request& request) {
  request.checked = plan.check != HttpPlan::Check::status;
  switch (plan.check) {
    case HttpPlan::Check::status:
      return true;
    case HttpPlan::Check::text:
      return session.body() == plan.text;
    case HttpPlan::Check::length:
      return session.body_bytes() == plan.length;
    case HttpPlan::Check::price: {
      const auto price = final_price(session.body());
      request.answer = price.value_or(0);
      return price.has_value();
    }
  }
  return false;
}

}  // namespace

void check_answer(const HttpPlan& plan, const http::ClientSession& session, measure::Request& request) {
  const int status = session.status();
  if (status == 503) {
    request.fail(ErrorCode::rejected);
  } else if (status >= 500) {
    request.fail(cause_of(session));
  } else if (status >= 400) {
    request.fail(ErrorCode::status_4xx);
  } else if (status >= 300) {
    request.fail(ErrorCode::status_3xx);
  } else if (as_asked(plan, session, request)) {
    request.outcome = measure::Outcome::ok;
  } else {
    request.fail(ErrorCode::wrong_answer);
  }
}

std::optional<std::int64_t> final_price(std::string_view body) {
  constexpr std::string_view kKey = "\"final_price\":";
  const std::size_t key = body.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  std::string_view rest = body.substr(key + kKey.size());
  if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  std::int64_t price = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), price);
  if (error != std::errc{}) return std::nullopt;
  const auto at = static_cast<std::size_t>(end - rest.data());
  if (at == rest.size() || (rest[at] != ',' && rest[at] != '}' && rest[at] != ' ')) return std::nullopt;
  return price;
}

void take_server_timing(std::string_view header, measure::Request& request) {
  using measure::Phase;
  measure::PhaseTrace server;
  Ns total = 0;
  request.timed = !header.empty() && measure::parse_server_timing(header, server, total);
  if (!request.timed) return;
  for (std::size_t i = 0; i < measure::kPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    if (phase >= Phase::queue && phase < Phase::unexplained) request.trace.add(phase, 0, server.spent(phase));
  }
  request.trace.add(Phase::network, total, request.answer_ready - request.sent);
}

}  // namespace parkbench::load
