#include "parkbench/server/connection_table.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace parkbench::server {
namespace {

TEST(ConnectionTable, knows_those_that_are_there) {
  ConnectionTable table;
  std::deque<ConnectionEntry> entries(5);
  for (auto& entry : entries) table.add(entry);
  EXPECT_EQ(table.size(), 5);
  table.remove(entries[2]);
  table.remove(entries[4]);
  table.remove(entries[0]);
  std::vector<std::uint64_t> ids;
  table.each([&](const ConnectionEntry& entry) { ids.push_back(entry.id); });
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{4, 2}));
  table.add(entries[0]);
  EXPECT_EQ(entries[0].id, 6U);
  EXPECT_EQ(table.size(), 3);
  EXPECT_EQ(table.total(), 6U);
}

TEST(ConnectionTable, dumps_what_each_does_and_since_when) {
  ConnectionTable table;
  EXPECT_EQ(table.dump(0), "{\"connections\": [], \"in_flight\": 0}\n");
  std::deque<ConnectionEntry> entries(2);
  for (auto& entry : entries) table.add(entry);
  entries[0].enter(ConnectionEntry::State::idle, 0);
  entries[1].enter(ConnectionEntry::State::handling, 2 * kMillisecond);
  entries[1].route = service::Route::Kind::price;
  entries[1].number = 77;
  EXPECT_EQ(table.dump(3'500'000),
            "{\"connections\": [{\"id\": 2, \"state\": \"handling\", \"route\": \"/price/{id}\", \"request\": 77, "
            "\"for_ms\": 1.500}, {\"id\": 1, \"state\": \"idle\", \"for_ms\": 3.500}], \"in_flight\": 1}\n");
}

TEST(ConnectionTable, lists_ten_thousand_and_counts_all) {
  ConnectionTable table;
  std::deque<ConnectionEntry> entries(10'005);
  for (auto& entry : entries) {
    entry.enter(ConnectionEntry::State::writing, 0);
    table.add(entry);
  }
  const std::string dump = table.dump(0);
  std::size_t listed = 0;
  for (auto at = dump.find("\"id\""); at != std::string::npos; at = dump.find("\"id\"", at + 1)) ++listed;
  EXPECT_EQ(listed, 10'000U);
  EXPECT_TRUE(dump.ends_with("\"in_flight\": 10005}\n"));
}

}  // namespace
}  // namespace parkbench::server
