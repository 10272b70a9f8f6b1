#include "parkbench/measure/phase.hpp"

namespace parkbench::measure {

std::string_view to_string(Phase phase) {
  static constexpr std::array<std::string_view, kPhases> kNames = {
      "client_wait", "lateness", "network", "queue", "connection", "database",
      "downstream",  "app_wait", "wakeup",  "cpu",   "reply",      "unexplained"};
  return kNames.at(static_cast<std::size_t>(phase));
}

}  // namespace parkbench::measure
