#include "parkbench/load/request_texts.hpp"

#include <charconv>

#include "parkbench/base/random.hpp"
#include "parkbench/http/client_session.hpp"

namespace parkbench::load {
namespace {

constexpr std::string_view kNumber = "{id}";

std::string authority(const HttpPlan& plan) {
  const bool v6 = plan.host.find(':') != std::string::npos;
  return (v6 ? "[" + plan.host + "]" : plan.host) + ":" + std::to_string(plan.port);
}

}  // namespace

RequestTexts::RequestTexts(const HttpPlan& plan) : slow_share_(plan.slow_share) {
  for (const bool timed : {false, true}) {
    templates_[0][timed] = make(plan, plan.target, timed);
    templates_[1][timed] = make(plan, plan.slow_target.empty() ? plan.target : plan.slow_target, timed);
  }
}

RequestTexts::Template RequestTexts::make(const HttpPlan& plan, const std::string& target, bool timed) {
  std::string headers = plan.headers;
  if (timed) headers += "X-Parkbench-Timing: 1\r\n";
  std::string text = http::get_request(target, authority(plan), headers);
  const std::size_t place = text.find(kNumber);
  if (place == std::string::npos) return {std::move(text), "", false};
  return {text.substr(0, place), text.substr(place + kNumber.size()), true};
}

std::string_view RequestTexts::text(const measure::Request& request) {
  const Template& t = templates_[slow(request.number)][request.timed];
  if (!t.numbered) return t.before;
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), request.product).ptr;
  text_.assign(t.before).append(digits.data(), end).append(t.after);
  return text_;
}

bool RequestTexts::slow(std::uint64_t number) const {
  constexpr std::uint32_t kWhole = 1'000'000;
  return slow_share_ > 0 && Random(number).below(kWhole) < slow_share_ * kWhole;
}

}  // namespace parkbench::load
