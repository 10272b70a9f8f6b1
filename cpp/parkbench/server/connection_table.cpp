#include "parkbench/server/connection_table.hpp"

#include <array>

#include "parkbench/base/decimal.hpp"

namespace parkbench::server {

using State = ConnectionEntry::State;

std::string_view to_string(State state) {
  static constexpr std::array<std::string_view, 4> kNames = {"idle", "reading", "handling", "writing"};
  return kNames.at(static_cast<std::size_t>(state));
}

void ConnectionTable::add(ConnectionEntry& entry) {
  const std::lock_guard lock(mutex_);
  entry.id = total_.fetch_add(1, std::memory_order_relaxed) + 1;
  entry.previous = nullptr;
  entry.next = first_;
  if (first_ != nullptr) first_->previous = &entry;
  first_ = &entry;
  size_.fetch_add(1, std::memory_order_relaxed);
}

void ConnectionTable::remove(ConnectionEntry& entry) {
  const std::lock_guard lock(mutex_);
  (entry.previous == nullptr ? first_ : entry.previous->next) = entry.next;
  if (entry.next != nullptr) entry.next->previous = entry.previous;
  entry.next = entry.previous = nullptr;
  size_.fetch_sub(1, std::memory_order_release);
}

std::string ConnectionTable::dump(Ns now) const {
  constexpr int kListed = 10'000;
  std::string json = "{\"connections\": [";
  int listed = 0;
  std::int64_t in_flight = 0;
  each([&](const ConnectionEntry& entry) {
    const State state = entry.state.load(std::memory_order_relaxed);
    const bool busy = state == State::handling || state == State::writing;
    if (busy) ++in_flight;
    if (listed == kListed) return;
    json += listed++ == 0 ? "" : ", ";
    json += "{\"id\": " + std::to_string(entry.id) + ", \"state\": \"";
    json += to_string(state);
    json += '"';
    if (busy) {
      json += ", \"route\": \"";
      json += service::to_string(entry.route.load(std::memory_order_relaxed));
      json += "\", \"request\": " + std::to_string(entry.number.load(std::memory_order_relaxed));
    }
    json += ", \"for_ms\": ";
    append_decimal(json, now - entry.since.load(std::memory_order_relaxed), kMillisecond, 3);
    json += '}';
  });
  json += "], \"in_flight\": " + std::to_string(in_flight) + "}\n";
  return json;
}

}  // namespace parkbench::server
