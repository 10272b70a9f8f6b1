#include "parkbench/workload/stream/row.hpp"

#include <gtest/gtest.h>

namespace parkbench::workload::stream {
namespace {

TEST(Row, is_one_server_sent_event_of_about_100_bytes) {
  const std::string row = row_text(7);
  EXPECT_TRUE(row.starts_with("id: 7\ndata: {\"row\":7,"));
  EXPECT_TRUE(row.ends_with("}\n\n"));
  EXPECT_EQ(row.find("\n\n"), row.size() - 2);
  EXPECT_GE(row.size(), 90U);
  EXPECT_LE(row_text(4'000'000'000U).size(), 130U);
}

}  // namespace
}  // namespace parkbench::workload::stream
