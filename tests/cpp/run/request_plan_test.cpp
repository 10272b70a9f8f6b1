#include "parkbench/run/request_plan.hpp"

#include <gtest/gtest.h>

namespace parkbench::run {
namespace {

load::HttpPlan plan_of(const workload::Options& options) {
  Scenario scenario;
  scenario.workload = options;
  return request_plan(scenario, "127.0.0.1", 80);
}

TEST(RequestPlan, each_workload_has_its_route) {
  using workload::Kind;
  workload::Options options;
  const auto target = [&](Kind kind) {
    options.kind = kind;
    return plan_of(options).target;
  };
  options.sleep = 250 * kMicrosecond;
  options.cpu = 1'500;
  options.rows = 20;
  EXPECT_EQ(target(Kind::noop), "/hello");
  EXPECT_EQ(target(Kind::pricing), "/price/{id}");
  EXPECT_EQ(target(Kind::sleep), "/sleep?ms=0.25");
  EXPECT_EQ(target(Kind::gateway), "/gateway/products/{id}");
  EXPECT_EQ(target(Kind::cpu), "/cpu?us=1.5");
  EXPECT_EQ(target(Kind::file), "/file");
  EXPECT_EQ(target(Kind::stream), "/stream?rows=20");
  EXPECT_EQ(target(Kind::mixed), "/sleep?ms=5");
  EXPECT_EQ(plan_of(options).slow_target, "/sleep?ms=500");
  EXPECT_DOUBLE_EQ(plan_of(options).slow_share, 0.05);
}

TEST(RequestPlan, the_gateways_token_is_sent) {
  workload::Options options;
  options.kind = workload::Kind::gateway;
  EXPECT_EQ(plan_of(options).headers, "");
  options.gateway.token = "secret";
  EXPECT_EQ(plan_of(options).headers, "Authorization: Bearer secret\r\n");
}

}  // namespace
}  // namespace parkbench::run
