#include "parkbench/measure/phase.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace parkbench::measure {
namespace {

TEST(PhaseTrace, what_lies_between_two_phases_belongs_to_neither) {
  PhaseTrace trace;
  trace.begin(Phase::cpu, 100);
  trace.turn(Phase::database, 150);
  trace.end(350);
  trace.begin(Phase::cpu, 600);  // 250 in between
  trace.end(700);
  EXPECT_EQ(trace.spent(Phase::cpu), 150);
  EXPECT_EQ(trace.spent(Phase::database), 200);
  const auto& all = trace.all();
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), Ns{0}), 350);
}

TEST(PhaseTrace, clear_forgets_all) {
  PhaseTrace trace;
  trace.add(Phase::queue, 1, 5);
  trace.clear();
  EXPECT_EQ(trace.spent(Phase::queue), 0);
}

TEST(Phase, has_twelve_names) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kPhases; ++i) names.insert(to_string(static_cast<Phase>(i)));
  EXPECT_EQ(names.size(), 12U);
  EXPECT_EQ(to_string(Phase::client_wait), "client_wait");
  EXPECT_EQ(to_string(Phase::unexplained), "unexplained");
}

}  // namespace
}  // namespace parkbench::measure
