#include "parkbench/reactive/operators/filter.hpp"

#include <gtest/gtest.h>

#include "parkbench/reactive/flux.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

TEST(Filter, asks_for_one_more_per_element_it_drops) {
  const auto source = make_ref<ManualPublisher<int>>();
  const auto probe = make_ref<Probe<int>>();
  Flux<int>(Ref<Publisher<int>>(source)).filter([](int v) { return v > 1; }).subscribe(probe);
  probe->request(2);
  for (int v = 0; v < 4; ++v) source->next(v);
  source->complete();
  EXPECT_EQ(source->spy->requests, (std::vector<std::int64_t>{2, 1, 1}));
  EXPECT_EQ(probe->values, (std::vector<int>{2, 3}));
}

TEST(Filter, a_throwing_predicate_cancels_the_upstream_and_is_the_error) {
  const auto source = make_ref<ManualPublisher<int>>();
  const auto probe = make_ref<Probe<int>>();
  Flux<int>(Ref<Publisher<int>>(source))
      .filter([](int) -> bool { throw Failure(ErrorCode::db_error, "x"); })
      .subscribe(probe);
  source->next(1);
  source->complete();
  EXPECT_EQ(source->spy->cancels, 1);
  EXPECT_EQ(probe->signals, "e");
}

TEST(Filter, values_that_only_move_pass_and_dropped_ones_end) {
  const auto source = make_ref<ManualPublisher<Tracked>>();
  const auto probe = make_ref<Probe<Tracked>>();
  Flux<Tracked>(Ref<Publisher<Tracked>>(source))
      .filter([](const Tracked& v) { return v.value() == 2; })
      .subscribe(probe);
  source->next(Tracked(1));
  source->next(Tracked(2));
  EXPECT_EQ(Tracked::live(), 1);
  source->complete();
  probe->values.clear();
  EXPECT_EQ(Tracked::live(), 0);
}

}  // namespace
}  // namespace parkbench::reactive
