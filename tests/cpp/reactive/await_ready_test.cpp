#include "parkbench/reactive/await_ready.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <latch>
#include <optional>

#include "parkbench/base/unique_fd.hpp"

namespace parkbench::reactive {
namespace {

class AwaitReady : public testing::Test {
 protected:
  AwaitReady() {
    int pair[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    near_ = UniqueFd(pair[0]);
    far_ = UniqueFd(pair[1]);
    source_.reset(near_.get());
    loop_.start();
  }
  ~AwaitReady() override {
    on_loop([&] { source_.detach(); });
    loop_.stop();
  }
  template <class F>
  void on_loop(F f) {
    std::latch done(1);
    loop_.post([&] {
      f();
      done.count_down();
    });
    done.wait();
  }
  void say() { ASSERT_EQ(write(far_.get(), "x", 1), 1); }

  EventLoop loop_;
  UniqueFd near_;
  UniqueFd far_;
  io::IoSource source_;
};

TEST_F(AwaitReady, is_told_on_the_loops_thread_with_both_stamps) {
  std::latch done(1);
  io::Woken woken;
  EventLoop* where = nullptr;
  Ns said = 0;
  on_loop([&] {
    await_ready(loop_, source_, io::Interest::read, Deadline::never(), [&](io::Woken w) {
      woken = w;
      where = EventLoop::current();
      done.count_down();
    });
  });
  said = loop_.clock().now();
  say();
  done.wait();
  EXPECT_FALSE(woken.timed_out);
  EXPECT_EQ(where, &loop_);
  EXPECT_GE(woken.told, said);
  EXPECT_GE(woken.running, woken.told);
}

TEST_F(AwaitReady, an_edge_before_the_wait_is_kept) {
  on_loop([&] { source_.watch_at(loop_.poller()); });
  say();
  // The loop must have seen the edge: a second descriptor's edge, written later, comes in the same batch or after it.
  int pair[2] = {-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
  const UniqueFd other(pair[0]);
  const UniqueFd other_end(pair[1]);
  io::IoSource marker(other.get());
  std::latch seen(1);
  on_loop([&] {
    await_ready(loop_, marker, io::Interest::read, Deadline::never(), [&](io::Woken) { seen.count_down(); });
  });
  ASSERT_EQ(write(other_end.get(), "x", 1), 1);
  seen.wait();
  std::latch done(1);
  bool inside = true;
  on_loop([&] {
    await_ready(loop_, source_, io::Interest::read, Deadline::never(), [&](io::Woken w) {
      EXPECT_FALSE(inside) << "called from within await_ready";
      EXPECT_FALSE(w.timed_out);
      done.count_down();
    });
    inside = false;
  });
  done.wait();
  on_loop([&] { marker.detach(); });
}

TEST_F(AwaitReady, times_out_and_can_wait_again) {
  std::latch timed_out(1);
  std::latch ready_now(1);
  const Ns due = loop_.clock().now() + kMillisecond;
  on_loop([&] {
    await_ready(loop_, source_, io::Interest::read, Deadline::at(due), [&](io::Woken w) {
      EXPECT_TRUE(w.timed_out);
      EXPECT_EQ(w.told, due);
      EXPECT_GE(w.running, due);
      await_ready(loop_, source_, io::Interest::read, Deadline::never(), [&](io::Woken again) {
        EXPECT_FALSE(again.timed_out);
        ready_now.count_down();
      });
      timed_out.count_down();
    });
  });
  timed_out.wait();
  say();
  ready_now.wait();
}

TEST_F(AwaitReady, cancel_takes_the_wait_back) {
  auto held = std::make_shared<int>(0);
  on_loop([&] {
    const auto wait = await_ready(loop_, source_, io::Interest::read, Deadline::at(loop_.clock().now() + kSecond),
                                  [held](io::Woken) { FAIL(); });
    wait.cancel();
    wait.cancel();
  });
  say();
  on_loop([] {});
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(AwaitReady, as_a_mono_with_value_and_cancel) {
  std::latch done(1);
  std::optional<Disposable> running;
  on_loop([&] {
    running = ready(loop_, source_, io::Interest::read, Deadline::never()).subscribe([](io::Woken) { FAIL(); });
    running->dispose();
    ready(loop_, source_, io::Interest::read, Deadline::never())
        .map([](io::Woken w) { return w.told; })
        .subscribe([&](Ns told) {
          EXPECT_GT(told, 0);
          done.count_down();
        });
  });
  say();
  done.wait();
  EXPECT_TRUE(running->disposed());
}

TEST_F(AwaitReady, a_loop_that_is_never_idle_still_hears_descriptors) {
  struct Busy final : Task {
    explicit Busy(EventLoop& on) : loop(on) {}
    void run() override {
      if (!stop) loop.post(*this);
    }
    EventLoop& loop;
    std::atomic<bool> stop{false};
  } busy(loop_);
  loop_.post(busy);
  for (int i = 0; i < 3; ++i) {  // after each event the reactor has to be asked anew
    std::latch done(1);
    on_loop([&] {
      await_ready(loop_, source_, io::Interest::read, Deadline::never(), [&](io::Woken) { done.count_down(); });
    });
    say();
    done.wait();
  }
  busy.stop = true;
  on_loop([] {});  // busy is not queued any more
}

TEST_F(AwaitReady, many_descriptors_ready_at_once_are_all_told) {
  constexpr int kPairs = 300;  // more than two batches of the poller
  std::vector<UniqueFd> ends;
  std::vector<std::unique_ptr<io::IoSource>> sources;
  std::latch done(kPairs);
  on_loop([&] {
    for (int i = 0; i < kPairs; ++i) {
      int pair[2] = {-1, -1};
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
      ends.emplace_back(pair[0]);
      ends.emplace_back(pair[1]);
      sources.push_back(std::make_unique<io::IoSource>(pair[0]));
      await_ready(loop_, *sources.back(), io::Interest::read, Deadline::never(), [&](io::Woken) { done.count_down(); });
    }
    for (std::size_t i = 1; i < ends.size(); i += 2) ASSERT_EQ(write(ends[i].get(), "x", 1), 1);
  });
  done.wait();
  on_loop([&] { sources.clear(); });
}

}  // namespace
}  // namespace parkbench::reactive
