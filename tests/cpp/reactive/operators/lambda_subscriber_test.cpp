#include "parkbench/reactive/operators/lambda_subscriber.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "parkbench/base/thread.hpp"
#include "parkbench/reactive/flux.hpp"
#include "parkbench/reactive/mono.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

TEST(LambdaSubscriber, calls_value_then_complete) {
  std::string log;
  const auto handle =
      Mono<int>::just(1).subscribe([&](int) { log += 'n'; }, [&](Error) { log += 'e'; }, [&] { log += 'c'; });
  EXPECT_EQ(log, "nc");
  EXPECT_TRUE(handle.disposed());
}

TEST(LambdaSubscriber, untested_2_13_a_throwing_on_value_cancels_and_is_the_error) {
  std::string log;
  range(0, 10).subscribe(
      [&](std::int64_t v) {
        log += 'n';
        if (v == 2) throw Failure(ErrorCode::wrong_answer, "x");
      },
      [&](const Error& error) { log += error.code == ErrorCode::wrong_answer ? 'e' : '?'; }, [&] { log += 'c'; });
  EXPECT_EQ(log, "nnne");
}

TEST(LambdaSubscriber, throwing_ends_and_missing_on_error_are_dropped_and_counted) {
  const auto before = dropped_errors();
  static ErrorCode last = ErrorCode::none;
  const DroppedErrorHook old = set_dropped_error_hook([](const Error& error) { last = error.code; });
  Mono<int>::just(1).subscribe([](int) {}, DropError{}, [] { throw std::runtime_error("x"); });
  EXPECT_EQ(last, ErrorCode::internal);
  Mono<int>::error({ErrorCode::db_error, ""})
      .subscribe([](int) {}, [](const Error&) { throw Failure(ErrorCode::rejected, ""); });
  EXPECT_EQ(last, ErrorCode::rejected);
  Mono<int>::error({ErrorCode::db_error, ""}).subscribe([](int) {});
  EXPECT_EQ(last, ErrorCode::db_error);
  set_dropped_error_hook(old);
  EXPECT_EQ(dropped_errors(), before + 3);
}

TEST(LambdaSubscriber, untested_3_05_dispose_from_eight_threads_cancels_once) {
  const auto source = make_ref<ManualPublisher<int>>();
  const auto handle = Mono<int>(Ref<Publisher<int>>(source)).subscribe([](int) { FAIL(); });
  {
    std::vector<Thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back("dispose", [&] { handle.dispose(); });
  }
  EXPECT_EQ(source->spy->cancels, 1);
  source->next(1);  // rule 2.8
  source->complete();
}

TEST(LambdaSubscriber, dispose_from_within_on_value_stops_the_rest) {
  Disposable handle;
  int got = 0;
  const auto source = make_ref<ManualPublisher<int>>();
  handle = Flux<int>(Ref<Publisher<int>>(source)).subscribe([&](int) {
    ++got;
    handle.dispose();
  });
  source->next(1);
  source->next(2);
  source->subscriber.reset();
  EXPECT_EQ(got, 1);
}

TEST(LambdaSubscriber, its_functions_are_freed_at_the_end_though_the_publisher_lives) {
  const auto held = std::make_shared<int>(0);
  const auto mono = Mono<int>::just(1);
  mono.subscribe([held](int) {});
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace parkbench::reactive
