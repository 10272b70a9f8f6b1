#include "parkbench/measure/server_timing.hpp"

#include <array>
#include <optional>

#include "parkbench/base/decimal.hpp"

namespace parkbench::measure {
namespace {

constexpr std::array kSent = {Phase::queue,    Phase::connection, Phase::database, Phase::downstream,
                              Phase::app_wait, Phase::wakeup,     Phase::cpu};
constexpr int kDigits = 6;  // a millisecond's nanoseconds

void append(std::string& text, std::string_view key, Ns duration) {
  text += key;
  text += ";dur=";
  append_decimal(text, duration, kMillisecond, kDigits);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Takes what lies before the separator off the text.
std::string_view take_until(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return trimmed(part);
}

std::optional<Phase> phase_of(std::string_view key) {
  for (const Phase phase : kSent) {
    if (to_string(phase) == key) return phase;
  }
  return std::nullopt;
}

}  // namespace

std::string format_server_timing(const PhaseTrace& trace, Ns total) {
  std::string text;
  text.reserve(224);
  for (const Phase phase : kSent) {
    append(text, to_string(phase), trace.spent(phase));
    text += ", ";
  }
  append(text, "total", total);
  return text;
}

bool parse_server_timing(std::string_view text, PhaseTrace& trace, Ns& total) {
  PhaseTrace parsed;
  std::optional<Ns> sum;
  while (!text.empty()) {
    std::string_view entry = take_until(text, ',');
    const std::string_view key = take_until(entry, ';');
    while (!entry.empty()) {
      std::string_view value = take_until(entry, ';');
      if (take_until(value, '=') != "dur") continue;
      const std::optional<Ns> duration = parse_decimal(trimmed(value), kDigits);
      if (!duration) return false;
      if (key == "total") {
        sum = duration;
      } else if (const auto phase = phase_of(key)) {
        parsed.add(*phase, 0, *duration);
      }
    }
  }
  if (!sum) return false;
  trace = parsed;
  total = *sum;
  return true;
}

}  // namespace parkbench::measure
