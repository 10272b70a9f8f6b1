#include "parkbench/reactive/operators/map.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "parkbench/reactive/flux.hpp"
#include "parkbench/reactive/mono.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

TEST(Map, moves_values_and_changes_their_type) {
  std::string got;
  Mono<std::unique_ptr<int>>::just(std::make_unique<int>(4))
      .map([](std::unique_ptr<int> v) { return std::to_string(*v); })
      .subscribe([&](std::string v) { got = std::move(v); });
  EXPECT_EQ(got, "4");
}

TEST(Map, a_throwing_function_cancels_the_upstream_and_is_the_error) {
  const auto source = make_ref<ManualPublisher<int>>();
  const auto probe = make_ref<Probe<int>>();
  Mono<int>(Ref<Publisher<int>>(source))
      .map([](int) -> int { throw Failure(ErrorCode::not_found, "no 3"); })
      .subscribe(probe);
  source->next(3);
  EXPECT_EQ(source->spy->cancels, 1);
  const auto dropped = dropped_errors();
  source->next(4);
  source->error(ErrorCode::db_error);
  EXPECT_EQ(probe->signals, "e");
  EXPECT_EQ(probe->errors[0].code, ErrorCode::not_found);
  EXPECT_EQ(probe->errors[0].message, "no 3");
  EXPECT_EQ(dropped_errors(), dropped + 1) << "an error after the end goes to the hook";
}

TEST(Map, what_is_no_failure_becomes_internal) {
  std::vector<ErrorCode> codes;
  const auto keep = [&](const Error& error) { codes.push_back(error.code); };
  const auto ignore = [](int) {};
  Mono<int>::just(1).map([](int) -> int { throw std::runtime_error("x"); }).subscribe(ignore, keep);
  Mono<int>::just(1).map([](int) -> int { throw 7; }).subscribe(ignore, keep);
  EXPECT_EQ(codes, (std::vector{ErrorCode::internal, ErrorCode::internal}));
}

TEST(Map, a_member_function_will_do) {
  std::size_t got = 0;
  Mono<std::string>::just("four").map(&std::string::size).subscribe([&](std::size_t v) { got = v; });
  EXPECT_EQ(got, 4U);
}

TEST(Map, ten_thousand_stages_overflow_nothing) {
  Mono<int> chain = Mono<int>::just(0);
  for (int i = 0; i < 10'000; ++i) chain = chain.map([](int v) { return v + 1; });
  int got = 0;
  chain.subscribe([&](int v) { got = v; });
  EXPECT_EQ(got, 10'000);
}

}  // namespace
}  // namespace parkbench::reactive
