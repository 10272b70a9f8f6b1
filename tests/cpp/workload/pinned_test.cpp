#include "parkbench/workload/pinned.hpp"

#include <gtest/gtest.h>

#include <future>

#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"
#include "parkbench/workload/resources.hpp"
#include "workload/manual_waiter.hpp"

namespace parkbench::workload {
namespace {

struct Seen {
  bool would_pin = false;
  io::ThreadState inside = io::ThreadState::idle;
  io::ThreadState after = io::ThreadState::idle;
};

class Pins : public ::testing::Test {
 protected:
  Seen look(const io::ThreadStateCell& cell) {
    Seen seen;
    seen.would_pin = Pinned::would_pin();
    {
      const Pinned pinned(resources, PinSection::file_read);
      seen.inside = cell.state;
    }
    seen.after = cell.state;
    return seen;
  }
  Ns held(PinSection section) const { return resources.pinned[static_cast<std::size_t>(section)].load(); }
  Resources resources{testing::without_database(Kind::noop), SteadyClock::instance()};
};

TEST_F(Pins, a_carrier_is_pinned) {
  virtual_threads::Scheduler scheduler({.uncaught = {}});
  std::promise<Seen> seen;
  scheduler.start([&] { seen.set_value(look(scheduler.cells()[0])); });
  const Seen what = seen.get_future().get();
  EXPECT_TRUE(what.would_pin);
  EXPECT_EQ(what.inside, io::ThreadState::pinned);
  EXPECT_EQ(what.after, io::ThreadState::on_cpu);
  EXPECT_EQ(resources.pins.load(), 1U);
  EXPECT_GT(held(PinSection::file_read), 0);
  EXPECT_EQ(held(PinSection::filter_lock), 0);
  scheduler.stop();
}

TEST_F(Pins, a_loop_is_pinned) {
  reactive::EventLoop loop;
  loop.start();
  std::promise<Seen> seen;
  loop.post([&] { seen.set_value(look(loop.cell())); });
  const Seen what = seen.get_future().get();
  EXPECT_TRUE(what.would_pin);
  EXPECT_EQ(what.inside, io::ThreadState::pinned);
  EXPECT_EQ(what.after, io::ThreadState::on_cpu);
  EXPECT_EQ(resources.pins.load(), 1U);
}

TEST_F(Pins, a_thread_that_may_block_is_not) {
  const io::ThreadStateCell cell;
  EXPECT_FALSE(look(cell).would_pin);
  EXPECT_EQ(resources.pins.load(), 0U);
  EXPECT_EQ(held(PinSection::file_read), 0);
}

}  // namespace
}  // namespace parkbench::workload
