#include "parkbench/models/books.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>

#include "parkbench/base/thread.hpp"

namespace parkbench::models {
namespace {

struct Counting final : AnswerSink {
  void answer(measure::Request&) override { ++answers; }
  std::atomic<int> answers{0};
};

TEST(Books, counts_what_is_held_and_what_is_of_the_window) {
  Counting sink;
  Books books(sink, std::nullopt);
  measure::Request counted;
  counted.counted = true;
  measure::Request other;
  EXPECT_TRUE(books.accept(counted, 5));
  EXPECT_TRUE(books.accept(other, 5));
  books.begin();
  Counters counters;
  books.report(counters);
  EXPECT_EQ(counters.held, 2);
  EXPECT_EQ(counters.queued, 1);
  EXPECT_EQ(counters.accepted_counted, 1);
  books.answer(counted);
  counters = {};
  books.report(counters);
  EXPECT_EQ(counters.held, 1);
  EXPECT_EQ(counters.answered_counted, 1);
  EXPECT_EQ(sink.answers, 1);
  EXPECT_EQ(counted.accepted, 5);
}

TEST(Books, refuses_at_the_limit_and_not_before) {
  Counting sink;
  Books books(sink, 2);
  std::deque<measure::Request> requests(3);
  EXPECT_TRUE(books.accept(requests[0], 0));
  EXPECT_TRUE(books.accept(requests[1], 0));
  EXPECT_FALSE(books.accept(requests[2], 0));
  books.refuse(requests[2], 7);
  EXPECT_EQ(requests[2].outcome, measure::Outcome::rejected);
  EXPECT_EQ(requests[2].answer_ready, 7);
  books.answer(requests[0]);
  EXPECT_TRUE(books.accept(requests[2], 8));
}

TEST(Books, a_limit_holds_exactly_when_many_threads_take_in) {
  Counting sink;
  Books books(sink, 100);
  std::deque<measure::Request> requests(4'000);
  std::atomic<int> taken{0};
  {
    std::deque<Thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back("taker", [&, t] {
        for (std::size_t i = t; i < requests.size(); i += 4) {
          if (books.accept_from_any(requests[i], 3)) ++taken;
        }
      });
    }
  }
  EXPECT_EQ(taken, 100);
  EXPECT_EQ(books.held(), 100);
  for (auto& request : requests) {
    if (request.accepted == 3) books.answer(request);
  }
  EXPECT_EQ(books.held(), 0);
  EXPECT_TRUE(books.accept_from_any(requests[0], 4));
  books.begin();
  books.answer(requests[0]);
}

TEST(Books, adds_up_over_threads) {
  Counting sink;
  Books books(sink, std::nullopt);
  std::deque<measure::Request> requests(8'000);
  for (auto& request : requests) {
    request.counted = true;
    books.accept(request, 0);
  }
  {
    std::vector<Thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back("books", [&, t] {
        for (std::size_t i = t; i < requests.size(); i += 4) {
          books.begin();
          books.answer(requests[i]);
        }
      });
    }
  }
  Counters counters;
  books.report(counters);
  EXPECT_EQ(counters.held, 0);
  EXPECT_EQ(counters.queued, 0);
  EXPECT_EQ(counters.answered_counted, 8'000);
  EXPECT_EQ(sink.answers, 8'000);
}

}  // namespace
}  // namespace parkbench::models
