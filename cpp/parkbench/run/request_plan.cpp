#include "parkbench/run/request_plan.hpp"

#include <array>
#include <charconv>

namespace parkbench::run {
namespace {

/// `300` or `0.25`: never with an exponent, which a server would refuse.
std::string decimal(Ns length, Ns unit) {
  std::array<char, 48> text;
  const double value = static_cast<double>(length) / static_cast<double>(unit);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

std::string sleep_of(Ns length) { return "/sleep?ms=" + decimal(length, kMillisecond); }

}  // namespace

load::HttpPlan request_plan(const Scenario& scenario, const std::string& host, std::uint16_t port) {
  using workload::Kind;
  const workload::Options& options = scenario.workload;
  load::HttpPlan plan;
  plan.host = host;
  plan.port = port;
  switch (options.kind) {
    case Kind::noop:
      plan.target = "/hello";
      plan.check = load::HttpPlan::Check::text;
      plan.text = "Hello, World!";
      break;
    case Kind::pricing:
      plan.target = "/price/{id}";
      plan.check = load::HttpPlan::Check::price;
      break;
    case Kind::sleep:
      plan.target = sleep_of(options.sleep);
      break;
    case Kind::gateway:
      plan.target = "/gateway/products/{id}";
      if (!options.gateway.token.empty()) plan.headers = "Authorization: Bearer " + options.gateway.token + "\r\n";
      break;
    case Kind::cpu:
      plan.target = "/cpu?us=" + decimal(options.cpu, kMicrosecond);
      break;
    case Kind::file:
      plan.target = "/file";
      plan.check = load::HttpPlan::Check::text;
      plan.text = "read " + std::to_string(std::size_t{options.file_kib} * 1024);
      break;
    case Kind::stream:
      plan.target = "/stream?rows=" + std::to_string(options.rows);
      break;
    case Kind::mixed:
      plan.target = sleep_of(options.fast);
      plan.slow_target = sleep_of(options.slow);
      plan.slow_share = options.slow_share;
      break;
  }
  return plan;
}

}  // namespace parkbench::run
