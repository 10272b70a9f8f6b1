#include "parkbench/reactive/event_loop.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "parkbench/base/thread.hpp"
#include "parkbench/reactive/callback.hpp"

namespace parkbench::reactive {
namespace {

struct Numbered final : Task {
  Numbered(std::vector<int>& log_, int number_) : log(log_), number(number_) {}
  void run() override { log.push_back(number); }
  std::vector<int>& log;
  int number;
};

TEST(EventLoop, runs_what_four_threads_post_each_in_its_order) {
  constexpr int kThreads = 4;
  constexpr int kEach = 2'000;
  std::vector<std::vector<int>> seen(kThreads);  // written by the loop only
  EventLoop loop;
  loop.start();
  {
    std::vector<Thread> posters;
    for (int t = 0; t < kThreads; ++t) {
      posters.emplace_back("poster", [&, t] {
        for (int i = 0; i < kEach; ++i) {
          EXPECT_TRUE(loop.post([&seen, t, i] { seen[static_cast<std::size_t>(t)].push_back(i); }));
        }
      });
    }
  }
  loop.stop();
  for (const auto& one : seen) {
    ASSERT_EQ(one.size(), static_cast<std::size_t>(kEach));
    for (int i = 0; i < kEach; ++i) ASSERT_EQ(one[static_cast<std::size_t>(i)], i);
  }
}

TEST(EventLoop, post_all_keeps_the_order) {
  std::vector<int> log;
  std::vector<Numbered> tasks;
  tasks.reserve(1'000);
  std::vector<Task*> pointers;
  for (int i = 0; i < 1'000; ++i) pointers.push_back(&tasks.emplace_back(log, i));
  EventLoop loop;
  loop.start();
  EXPECT_TRUE(loop.post_all(pointers));
  loop.stop();
  ASSERT_EQ(log.size(), 1'000U);
  for (int i = 0; i < 1'000; ++i) ASSERT_EQ(log[static_cast<std::size_t>(i)], i);
}

TEST(EventLoop, a_task_posted_from_the_loop_runs_after_what_is_queued) {
  std::vector<int> log;
  EventLoop loop;
  loop.post([&] {
    loop.post([&] { log.push_back(3); });
    log.push_back(1);
  });
  loop.post([&] { log.push_back(2); });
  loop.start();
  loop.stop();
  EXPECT_EQ(log, (std::vector<int>{1, 2, 3}));
}

TEST(EventLoop, stop_runs_what_is_queued_and_what_that_posts) {
  int left = 1'000;  // more than one turn
  EventLoop loop;
  struct Again final : Task {
    Again(EventLoop& on, int& count) : loop(on), left(count) {}
    void run() override {
      if (--left > 0) loop.post(*this);
    }
    EventLoop& loop;
    int& left;
  } again(loop, left);
  loop.post(again);
  loop.start();
  loop.stop();
  EXPECT_EQ(left, 0);
}

TEST(EventLoop, refuses_tasks_after_its_end) {
  auto held = std::make_shared<int>(1);
  EventLoop loop;
  loop.start();
  loop.stop();
  loop.stop();
  EXPECT_FALSE(loop.post([held] { FAIL(); }));
  EXPECT_EQ(held.use_count(), 1);
}

TEST(EventLoop, never_started_still_runs_its_tasks_at_the_end) {
  bool ran = false;
  {
    EventLoop().post([&] { ran = true; });
  }
  EXPECT_TRUE(ran);
}

TEST(EventLoop, knows_its_own_thread) {
  EventLoop loop;
  EventLoop* seen = nullptr;
  loop.post([&] { seen = EventLoop::current(); });
  loop.start();
  EXPECT_NE(loop.cell().thread_id.load(), 0);
  loop.stop();
  EXPECT_EQ(seen, &loop);
  EXPECT_EQ(EventLoop::current(), nullptr);
}

TEST(EventLoop, survives_a_function_that_throws) {
  const auto before = dropped_errors();
  bool ran = false;
  EventLoop loop;
  loop.post([] { throw std::runtime_error("broken"); });
  loop.post([&] { ran = true; });
  loop.start();
  loop.stop();
  EXPECT_TRUE(ran);
  EXPECT_EQ(dropped_errors(), before + 1);
}

TEST(EventLoop, is_on_cpu_in_a_task_and_idle_when_it_sleeps) {
  EventLoop loop;
  io::ThreadState inside = io::ThreadState::idle;
  loop.start();
  std::latch done(1);
  loop.post([&] {
    inside = loop.cell().state.load();
    done.count_down();
  });
  done.wait();
  EXPECT_EQ(inside, io::ThreadState::on_cpu);
  while (loop.cell().state.load() != io::ThreadState::idle) sched_yield();
  loop.stop();
}

TEST(EventLoop, every_wake_up_arrives) {
  // One task at a time: each finds the loop asleep or about to sleep.
  EventLoop loop;
  loop.start();
  for (int i = 0; i < 2'000; ++i) {
    std::latch done(1);
    loop.post([&] { done.count_down(); });
    done.wait();
  }
}

}  // namespace
}  // namespace parkbench::reactive
