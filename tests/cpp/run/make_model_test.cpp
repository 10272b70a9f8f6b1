#include "parkbench/run/make_model.hpp"

#include <gtest/gtest.h>

#include "run/scenarios.hpp"

namespace parkbench::run {
namespace {

struct Ignore final : models::AnswerSink {
  void answer(measure::Request&) override {}
};

TEST(MakeModel, gives_each_kind_its_own_threads) {
  Ignore sink;
  models::Books books(sink, std::nullopt);
  for (const auto kind : {ModelKind::thread_pool, ModelKind::virtual_threads, ModelKind::reactive}) {
    Scenario scenario = testing::quick(kind, workload::Kind::noop);
    scenario.workers = 7;
    scenario.carriers = 3;
    scenario.loops = 4;
    workload::Resources resources(scenario.workload, SteadyClock::instance());
    const auto model = make_model(scenario, resources, books);
    const std::size_t threads = kind == ModelKind::thread_pool ? 7 : kind == ModelKind::virtual_threads ? 3 : 4;
    EXPECT_EQ(model->thread_ids().size(), threads);
    EXPECT_EQ(model->guard_mode().empty(), kind != ModelKind::virtual_threads);
    model->stop();
  }
}

}  // namespace
}  // namespace parkbench::run
