#include "parkbench/reactive/mono.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "parkbench/reactive/virtual_timers.hpp"

namespace parkbench::reactive {
namespace {

TEST(Mono, values_only_move) {
  int got = 0;
  Mono<int>::defer([] { return Mono<int>::just(7); })
      .map([](int v) { return std::make_unique<int>(v + 1); })
      .flat_map([](std::unique_ptr<int> v) { return Mono<std::unique_ptr<int>>::just(std::move(v)); })
      .subscribe([&](std::unique_ptr<int> v) { got = *v; });
  EXPECT_EQ(got, 8);
}

TEST(Mono, timeout_ends_a_silent_upstream) {
  VirtualTimers timers;
  std::unique_ptr<MonoSink<int>> kept;
  ErrorCode code = ErrorCode::none;
  const auto handle =
      Mono<int>::create([&](MonoSink<int> sink) { kept = std::make_unique<MonoSink<int>>(std::move(sink)); })
          .timeout(5, timers)
          .subscribe([](int) {}, [&](const Error& e) { code = e.code; });
  timers.advance(4);
  EXPECT_EQ(code, ErrorCode::none);
  timers.advance(1);
  EXPECT_EQ(code, ErrorCode::timeout);
  EXPECT_TRUE(handle.disposed());
  EXPECT_TRUE(kept->ended());
}

TEST(Mono, zip_and_the_rest_compile) {
  VirtualTimers timers;
  std::string got;
  Mono<int>::empty()
      .switch_if_empty(Mono<int>::error({ErrorCode::not_found, "x"}))
      .on_error_resume([](const Error&) { return Mono<int>::just(1); })
      .zip(Mono<int>::just(2), [](int a, int b) { return std::to_string(a) + std::to_string(b); })
      .delay(10, timers)
      .subscribe([&](std::string v) { got = std::move(v); });
  EXPECT_EQ(got, "");
  timers.advance(10);
  EXPECT_EQ(got, "12");
}

}  // namespace
}  // namespace parkbench::reactive
