#include "parkbench/load/answer_queue.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "parkbench/base/thread.hpp"

namespace parkbench::load {
namespace {

using measure::Request;

TEST(AnswerQueue, gives_back_in_the_order_of_the_pushes) {
  AnswerQueue queue;
  std::vector<Request> requests(5);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].number = i;
    queue.push(requests[i]);
  }
  std::uint64_t expected = 0;
  for (Request* r = queue.take_all(); r != nullptr; r = r->next) EXPECT_EQ(r->number, expected++);
  EXPECT_EQ(expected, 5U);
  EXPECT_EQ(queue.take_all(), nullptr);
}

TEST(AnswerQueue, no_answer_and_no_wake_up_is_lost_between_threads) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 20'000;
  AnswerQueue queue;
  std::vector<std::vector<Request>> requests(kThreads, std::vector<Request>(kEach));
  std::vector<Thread> threads;
  for (auto& mine : requests) {
    threads.emplace_back("push", [&queue, &mine] {
      for (auto& r : mine) queue.push(r);
    });
  }
  std::size_t taken = 0;
  while (taken < kThreads * kEach) {
    queue.wait(SteadyClock::instance(), Deadline::never());  // a lost wake-up hangs here
    for (Request* r = queue.take_all(); r != nullptr; r = r->next) ++taken;
  }
  EXPECT_EQ(taken, kThreads * kEach);
}

TEST(AnswerQueue, poke_ends_a_wait_that_has_not_begun) {
  AnswerQueue queue;
  queue.poke();
  queue.wait(SteadyClock::instance(), Deadline::never());
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace parkbench::load
