#include "parkbench/reactive/operators/range.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "parkbench/base/thread.hpp"
#include "parkbench/reactive/flux.hpp"
#include "reactive/support/probe.hpp"

namespace parkbench::reactive {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
using IntProbe = Probe<std::int64_t>;

Ref<IntProbe> subscribed(const Flux<std::int64_t>& flux) {
  auto probe = make_ref<IntProbe>();
  flux.subscribe(probe);
  return probe;
}

TEST(Range, o_08_a_two_unbounded_requests) {
  const auto probe = make_ref<IntProbe>();
  probe->at_subscribe = [](IntProbe& p) {
    p.request(kMost);
    p.request(kMost);
  };
  range(0, 100'000).subscribe(probe);
  EXPECT_EQ(probe->values.size(), 100'000U);
  EXPECT_EQ(probe->signals.substr(99'999), "nc");
}

TEST(Range, o_08_b_almost_unbounded_and_five_more) {
  const auto probe = make_ref<IntProbe>();
  bool first = true;
  probe->at_next = [&](IntProbe& p) {
    if (std::exchange(first, false)) p.request(5);
  };
  range(0, 100'000).subscribe(probe);
  probe->request(kMost - 1);
  EXPECT_EQ(probe->values.size(), 100'000U);
  EXPECT_EQ(probe->signals.substr(99'999), "nc");
}

TEST(Range, o_08_d_bad_requests_name_the_number_and_end_it) {
  for (const std::int64_t bad : {0, -1}) {
    const auto probe = subscribed(range(0, 100'000));
    probe->request(2);
    probe->request(bad);
    probe->request(3);
    EXPECT_EQ(probe->signals, "nne");
    EXPECT_NE(probe->errors.at(0).message.find("request(" + std::to_string(bad) + ")"), std::string::npos);
  }
}

TEST(Range, a_bad_request_from_within_on_next) {
  const auto probe = make_ref<IntProbe>();
  probe->at_next = [](IntProbe& p) { p.request(-7); };
  range(0, 10).subscribe(probe);
  probe->request(kMost);
  EXPECT_EQ(probe->signals, "ne");
}

TEST(Range, ten_million_elements_in_one_synchronous_chain) {
  std::int64_t count = 0;
  bool complete = false;
  range(0, 10'000'000)
      .map([](std::int64_t v) { return v + 1; })
      .filter([](std::int64_t v) { return v % 2 == 0; })
      .subscribe([&](std::int64_t) { ++count; }, DropError{}, [&] { complete = true; });
  EXPECT_EQ(count, 5'000'000);
  EXPECT_TRUE(complete);
}

TEST(Range, one_by_one_from_within_on_next_on_a_small_stack) {
  std::int64_t count = 0;
  int deepest = 0;
  Thread small(
      "small-stack",
      [&] {
        const auto probe = make_ref<IntProbe>();
        probe->at_next = [&](IntProbe& p) {
          count += static_cast<std::int64_t>(p.values.size());
          p.values.clear();
          p.signals.clear();
          p.request(1);
        };
        range(0, 1'000'000)
            .map([](std::int64_t v) { return v; })
            .filter([](std::int64_t) { return true; })
            .subscribe(probe);
        probe->request(1);
        deepest = probe->deepest;
      },
      std::size_t{256} << 10U);  // the sanitizers need more than the 64 KiB of a virtual thread
  small.join();
  EXPECT_EQ(count, 1'000'000);
  EXPECT_EQ(deepest, 1);
}

TEST(Range, requests_and_cancel_from_several_threads_stay_serial) {
  for (int round = 0; round < 200; ++round) {
    const auto probe = make_ref<IntProbe>();
    range(0, 1'000).map([](std::int64_t v) { return v; }).subscribe(probe);
    const Ref<Subscription> subscription = std::move(probe->upstream);
    {
      std::vector<Thread> threads;
      for (int t = 0; t < 3; ++t) {
        threads.emplace_back("asks", [&] {
          for (int i = 0; i < 100; ++i) subscription->request(1);
        });
      }
      if (round % 2 == 0) threads.emplace_back("cancels", [&] { subscription->cancel(); });
    }
    EXPECT_FALSE(probe->overlapped);
    if (round % 2 == 1) {
      EXPECT_EQ(probe->values.size(), 300U);
      subscription->cancel();
    }
  }
}

TEST(Range, refuses_impossible_arguments) {
  EXPECT_THROW(range(0, -1), std::invalid_argument);
  EXPECT_THROW(range(2, kMost), std::invalid_argument);
}

}  // namespace
}  // namespace parkbench::reactive
