#include "parkbench/reactive/operators/mono_sources.hpp"

#include <gtest/gtest.h>

#include "parkbench/reactive/mono.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

TEST(MonoSources, just_gives_each_subscriber_a_copy) {
  const auto mono = Mono<std::string>::just("a");
  std::string got;
  for (int i = 0; i < 2; ++i) mono.subscribe([&](const std::string& v) { got += v; });
  EXPECT_EQ(got, "aa");
}

TEST(MonoSources, just_of_a_value_that_only_moves_serves_one) {
  const auto mono = Mono<Tracked>::just(Tracked(3));
  int got = 0;
  std::string why;
  for (int i = 0; i < 2; ++i) {
    mono.subscribe([&](const Tracked& v) { got += v.value(); }, [&](const Error& error) { why = error.message; });
  }
  EXPECT_EQ(got, 3);
  EXPECT_NE(why.find("an earlier subscriber took it"), std::string::npos);
}

TEST(MonoSources, nothing_is_left_of_a_chain) {
  Mono<Tracked>::just(Tracked(1)).subscribe([](const Tracked&) {});
  const auto probe = make_ref<Probe<Tracked>>();
  Mono<Tracked>::just(Tracked(1)).subscribe(probe);
  probe->cancel();
  probe->upstream.reset();
  EXPECT_EQ(Tracked::live(), 0);
}

TEST(MonoSources, defer_asks_for_each_subscription) {
  int made = 0;
  const auto mono = Mono<int>::defer([&] { return Mono<int>::just(++made); });
  EXPECT_EQ(made, 0);
  std::vector<int> got;
  for (int i = 0; i < 2; ++i) mono.subscribe([&](int v) { got.push_back(v); });
  EXPECT_EQ(got, (std::vector{1, 2}));
}

TEST(MonoSources, defer_with_a_throwing_supplier) {
  const auto probe = make_ref<Probe<int>>();
  Mono<int>::defer([]() -> Mono<int> { throw Failure(ErrorCode::rejected, "full"); }).subscribe(probe);
  EXPECT_EQ(probe->subscribed, 1);
  EXPECT_EQ(probe->signals, "e");
  EXPECT_EQ(probe->errors.at(0).code, ErrorCode::rejected);
}

TEST(MonoSources, empty_and_error_need_no_demand) {
  const auto empty = make_ref<Probe<int>>();
  Mono<int>::empty().subscribe(empty);
  EXPECT_EQ(empty->signals, "c");
  const auto failed = make_ref<Probe<int>>();
  Mono<int>::error({ErrorCode::timeout, "x"}).subscribe(failed);
  EXPECT_EQ(failed->signals, "e");
}

}  // namespace
}  // namespace parkbench::reactive
