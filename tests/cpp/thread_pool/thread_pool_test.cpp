#include "parkbench/thread_pool/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <vector>

namespace parkbench::thread_pool {
namespace {

/// A task that holds its worker until told, and counts.
struct Gate {
  std::latch entered;
  std::latch open{1};
  std::atomic<int> ran{0};
  explicit Gate(int tasks) : entered(tasks) {}

  Task task() {
    return {[](void* self, io::Waiter&) {
              auto& gate = *static_cast<Gate*>(self);
              gate.entered.count_down();
              gate.open.wait();
              gate.ran.fetch_add(1);
            },
            this};
  }
};

Task counting(std::atomic<int>& count) {
  return {[](void* c, io::Waiter&) { static_cast<std::atomic<int>*>(c)->fetch_add(1); }, &count};
}

TEST(ThreadPool, runs_every_task_once_on_every_shape) {
  for (const int workers : {1, 2, 16, 64}) {
    std::atomic<int> count{0};
    ThreadPool pool({.workers = workers, .queue = 100'000});
    const std::vector<Task> batch(100, counting(count));
    for (int i = 0; i < 200; ++i) EXPECT_EQ(pool.submit(batch).taken, batch.size());
    pool.stop();
    EXPECT_EQ(count.load(), 20'000) << workers << " workers";
  }
}

TEST(ThreadPool, keeps_the_order_with_one_worker) {
  struct Numbered {
    std::vector<int>* seen;
    int number;
  };
  std::vector<int> seen;
  std::vector<Numbered> numbers;
  for (int i = 0; i < 100; ++i) numbers.push_back({&seen, i});
  ThreadPool pool({.workers = 1});
  for (auto& n : numbers) {
    const Task task{[](void* p, io::Waiter&) {
                      auto& me = *static_cast<Numbered*>(p);
                      me.seen->push_back(me.number);
                    },
                    &n};
    pool.submit({&task, 1});
  }
  pool.stop();
  ASSERT_EQ(seen.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(ThreadPool, refuses_exactly_what_exceeds_workers_and_queue) {
  Gate gate(2);
  ThreadPool pool({.workers = 2, .queue = 3});
  const std::vector<Task> holders(2, gate.task());
  ASSERT_EQ(pool.submit(holders).taken, 2U);
  gate.entered.wait();
  std::atomic<int> count{0};
  const std::vector<Task> batch(5, counting(count));
  EXPECT_EQ(pool.submit(batch).taken, 3U);
  EXPECT_EQ(pool.queued(), 3U);
  EXPECT_EQ(pool.submit(batch).taken, 0U);
  gate.open.count_down();
  pool.stop();
  EXPECT_EQ(count.load(), 3);
}

TEST(ThreadPool, no_slot_is_lost_to_a_rejection) {
  // O-12 (c): fill until it rejects, drop the load, and every worker serves again.
  ThreadPool pool({.workers = 4, .queue = 2});
  for (int round = 0; round < 50; ++round) {
    Gate gate(4);
    const Task hold = gate.task();
    for (int i = 0; i < 4; ++i) {
      while (pool.submit({&hold, 1}).taken == 0) {
      }
    }
    gate.entered.wait();
    std::atomic<int> count{0};
    const std::vector<Task> flood(50, counting(count));
    const std::size_t taken = pool.submit(flood).taken;
    EXPECT_EQ(taken, 2U);
    gate.open.count_down();
    while (count.load() != 2 || gate.ran.load() != 4) std::this_thread::yield();
  }
}

TEST(ThreadPool, caller_runs_on_the_submitting_thread) {
  Gate gate(1);
  ThreadPool pool({.workers = 1, .queue = 1, .rejection = RejectionPolicy::caller_runs});
  const Task hold = gate.task();
  ASSERT_EQ(pool.submit({&hold, 1}).taken, 1U);
  gate.entered.wait();
  struct Seen {
    std::vector<int> threads;
    std::mutex mutex;
  } seen;
  const std::vector<Task> batch(3, Task{[](void* p, io::Waiter&) {
                                          auto& s = *static_cast<Seen*>(p);
                                          const std::lock_guard lock(s.mutex);
                                          s.threads.push_back(current_thread_id());
                                        },
                                        &seen});
  EXPECT_EQ(pool.submit(batch).taken, 3U);
  EXPECT_EQ(seen.threads, (std::vector<int>(2, current_thread_id())));
  gate.open.count_down();
  pool.stop();
  EXPECT_EQ(seen.threads.size(), 3U);
}

TEST(ThreadPool, block_waits_for_room_and_loses_nothing) {
  std::atomic<int> count{0};
  ThreadPool pool({.workers = 2, .queue = 1, .rejection = RejectionPolicy::block});
  const std::vector<Task> batch(500, counting(count));
  EXPECT_EQ(pool.submit(batch).taken, 500U);
  pool.stop();
  EXPECT_EQ(count.load(), 500);
}

TEST(ThreadPool, says_what_its_workers_wait_for) {
  struct Parked {
    std::latch entered{3};
    std::atomic<int> slots{0};
    std::array<io::Unparker, 3> unparkers;
  } parked;
  ThreadPool pool({.workers = 5});
  const std::vector<Task> batch(3, Task{[](void* p, io::Waiter& waiter) {
                                          auto& me = *static_cast<Parked*>(p);
                                          me.unparkers[static_cast<std::size_t>(me.slots.fetch_add(1))] =
                                              waiter.unparker();
                                          me.entered.count_down();
                                          waiter.park(Deadline::never(), io::WaitReason::connection);
                                        },
                                        &parked});
  pool.submit(batch);
  parked.entered.wait();
  const auto blocked = [&] {
    int n = 0;
    for (int i = 0; i < pool.workers(); ++i) n += pool.state(i).state.load() == io::ThreadState::on_connection;
    return n;
  };
  while (blocked() != 3) std::this_thread::yield();
  std::int64_t waiting = 0;
  for (int i = 0; i < pool.workers(); ++i) waiting += pool.gauge(i).waiting[1].load();
  EXPECT_EQ(waiting, 3);
  for (const auto& unparker : parked.unparkers) unparker.unpark();
  pool.stop();
  EXPECT_EQ(blocked(), 0);
}

TEST(ThreadPool, submitting_after_stop_is_refused) {
  std::atomic<int> count{0};
  ThreadPool pool({.workers = 2});
  pool.stop();
  const Task task = counting(count);
  EXPECT_EQ(pool.submit({&task, 1}).taken, 0U);
}

}  // namespace
}  // namespace parkbench::thread_pool
