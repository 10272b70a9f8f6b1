#include "parkbench/run/execution.hpp"

namespace parkbench::run {
namespace {

std::string failed_because(const Report& report, bool cancelled) {
  const auto& ledger = report.ledger;
  const auto text_of = [&](ErrorCode code) {
    for (const auto& [cause, text] : report.error_texts) {
      if (cause == to_string(code)) return text;
    }
    return std::string();
  };
  if (cancelled) return {};
  for (const ErrorCode lost : {ErrorCode::db_connection_lost, ErrorCode::db_connect}) {
    // Seen in the warm-up it is told as well: the window that follows is not a clean one.
    const std::string text = text_of(lost);
    if (text.empty()) continue;
    if (report.http) return std::string(to_string(lost)) + ": " + text;  // a client sees a status, not the cause
    const auto count = ledger.failures[static_cast<std::size_t>(lost)];
    return std::string(to_string(lost)) + " (" + std::to_string(count) + " requests of the window): " + text;
  }
  if (ledger.ok == 0) {
    std::string why = "no request succeeded";
    for (const auto& [cause, text] : report.error_texts) why += "; " + cause + ": " + text;
    return why;
  }
  return {};
}

}  // namespace

std::string status_of(const Report& report, const load::LoadResult& load) {
  if (const std::string why = failed_because(report, load.cancelled); !why.empty()) return "failed: " + why;
  return load.cancelled ? "incomplete" : load.too_short ? "too_short" : "ok";
}

}  // namespace parkbench::run
