#include "parkbench/measure/server_timing.hpp"

#include <gtest/gtest.h>

namespace parkbench::measure {
namespace {

TEST(ServerTiming, says_each_phase_of_a_server_and_the_total) {
  PhaseTrace trace;
  trace.add(Phase::queue, 0, 12'000);
  trace.add(Phase::database, 0, 1'234'567);
  EXPECT_EQ(format_server_timing(trace, 2'000'000'001),
            "queue;dur=0.012000, connection;dur=0.000000, database;dur=1.234567, downstream;dur=0.000000, "
            "app_wait;dur=0.000000, wakeup;dur=0.000000, cpu;dur=0.000000, total;dur=2000.000001");
}

TEST(ServerTiming, every_nanosecond_comes_back) {
  PhaseTrace trace;
  Ns spent = 1;
  for (const Phase phase : {Phase::queue, Phase::connection, Phase::database, Phase::downstream, Phase::app_wait,
                            Phase::wakeup, Phase::cpu}) {
    trace.add(phase, 0, spent);
    spent = spent * 37 + 5;
  }
  PhaseTrace read;
  Ns total = 0;
  ASSERT_TRUE(parse_server_timing(format_server_timing(trace, spent), read, total));
  EXPECT_EQ(read.all(), trace.all());
  EXPECT_EQ(total, spent);
}

TEST(ServerTiming, what_others_add_is_passed_over) {
  PhaseTrace read;
  Ns total = 0;
  ASSERT_TRUE(
      parse_server_timing("cdn-cache; desc=HIT,miss ,db;dur=3, queue;desc=\"x\";dur=0.5,total ; dur = 7", read, total));
  EXPECT_EQ(read.spent(Phase::queue), 500'000);
  EXPECT_EQ(read.spent(Phase::database), 0);
  EXPECT_EQ(total, 7 * kMillisecond);
}

TEST(ServerTiming, what_is_malformed_changes_nothing) {
  for (const char* text : {"", "queue;dur=1", "total", "total;dur=", "total;dur=.", "total;dur=1e3", "total;dur=-1",
                           "total;dur=1.2.3", "total;dur=99999999999999999999", "total;dur=1,queue;dur=x"}) {
    PhaseTrace read;
    read.add(Phase::cpu, 0, 5);
    Ns total = 9;
    EXPECT_FALSE(parse_server_timing(text, read, total)) << text;
    EXPECT_EQ(read.spent(Phase::cpu), 5);
    EXPECT_EQ(total, 9);
  }
}

}  // namespace
}  // namespace parkbench::measure
