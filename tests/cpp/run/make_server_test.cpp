#include "parkbench/run/make_server.hpp"

#include <gtest/gtest.h>

#include "run/scenarios.hpp"

namespace parkbench::run {
namespace {

TEST(MakeServer, gives_each_kind_its_own_threads_and_a_port) {
  for (const auto kind : {ModelKind::thread_pool, ModelKind::virtual_threads, ModelKind::reactive}) {
    Scenario scenario = testing::quick(kind, workload::Kind::noop);
    scenario.workers = 7;
    scenario.carriers = 3;
    scenario.loops = 4;
    workload::Resources resources(scenario.workload, SteadyClock::instance());
    const auto server = make_server(scenario, {}, resources);
    const std::size_t own = kind == ModelKind::thread_pool ? 7 : kind == ModelKind::virtual_threads ? 3 : 4;
    EXPECT_GE(server->thread_ids().size(), own) << testing::name_of(kind);
    EXPECT_EQ(server->guard_mode().empty(), kind != ModelKind::virtual_threads);
    EXPECT_GT(server->port(), 0);
    server->stop();
  }
}

}  // namespace
}  // namespace parkbench::run
