// What a virtual thread must find unchanged after it went on on another OS thread. The library is built with -O2 -fPIC,
// where a compiler keeps thread-local addresses in registers.
#include "parkbench/virtual_threads/seam.hpp"

#include <fenv.h>

#include <cerrno>
#include <exception>
#include <stdexcept>
#include <string>

#include "virtual_threads/migration.hpp"
#include "virtual_threads/on_carriers.hpp"

namespace parkbench::virtual_threads {
namespace {

constexpr int kRounds = 50;

thread_local int t_owner = 0;
#ifdef __clang__
#define PARKBENCH_OPAQUE noinline, optnone  // as in seam.cpp
#else
#define PARKBENCH_OPAQUE noinline, noipa
#endif
__attribute__((PARKBENCH_OPAQUE)) int owner_of_this_thread() { return t_owner; }
__attribute__((PARKBENCH_OPAQUE)) void own_this_thread(int id) { t_owner = id; }

class Seam : public WithScheduler {
 protected:
  void SetUp() override { make(2); }

  /// Runs body on a virtual thread and waits for it.
  template <class Body>
  void on_virtual_thread(Body body) {
    scheduler().start(body);
    scheduler().stop();
  }
};

TEST_F(Seam, MigrationReallyChangesTheOsThread) {
  on_virtual_thread([this] {
    for (int i = 0; i < kRounds; ++i) {
      const auto [before, after] = migrate(scheduler());
      EXPECT_NE(before, after);
      EXPECT_EQ(after, current_thread_id());
    }
  });
  EXPECT_GE(scheduler().steals_of_started(), static_cast<std::uint64_t>(kRounds));
}

TEST_F(Seam, CurrentIsTheSameVirtualThreadAfterMigration) {
  EXPECT_EQ(current(), nullptr);
  on_virtual_thread([this] {
    VirtualThread* self = current();
    Carrier* carrier = this_carrier();
    ASSERT_NE(self, nullptr);
    for (int i = 0; i < kRounds; ++i) {
      migrate(scheduler());
      EXPECT_EQ(current(), self);
      EXPECT_NE(this_carrier(), carrier) << "the address of the thread-local was kept across the park";
      carrier = this_carrier();
    }
  });
}

TEST_F(Seam, ErrnoTravelsWithTheVirtualThread) {
  on_virtual_thread([this] {
    for (int i = 1; i <= kRounds; ++i) {
      set_last_error(i);
      migrate(scheduler());
      EXPECT_EQ(last_error(), i);
    }
  });
}

TEST_F(Seam, ErrnoOfTheOtherOsThreadIsNotOverwritten) {
  on_virtual_thread([this] {
    set_last_error(7);
    migrate(scheduler());
    set_last_error(11);
    std::atomic<bool> done{false};
    VirtualThread* self = current();
    scheduler().start([&, self] {
      EXPECT_EQ(last_error(), 0) << "a new virtual thread begins with a clean errno";
      set_last_error(99);
      done = true;
      unpark(*self);
    });
    while (!done) park();
    EXPECT_EQ(last_error(), 11);
  });
}

TEST_F(Seam, ThreadLocalsAreThoseOfTheThreadItRunsOn) {
  on_virtual_thread([this] {
    for (int i = 0; i < kRounds; ++i) {
      own_this_thread(current_thread_id());
      migrate(scheduler());
      own_this_thread(current_thread_id());
      EXPECT_EQ(owner_of_this_thread(), current_thread_id());
      const auto [before, after] = migrate(scheduler());
      EXPECT_EQ(owner_of_this_thread(), after) << "read the thread-local of thread " << before;
    }
  });
}

// Two virtual threads park inside their handlers and go on in the other order: without the switch of the exception
// state each rethrows the other's exception.
TEST_F(Seam, RethrowAfterMigrationGivesTheOwnException) {
  make(5);  // each migration holds a carrier for a moment, four of them four
  std::atomic<int> right{0};
  for (const char* name : {"a", "b", "c", "d"}) {
    scheduler().start([this, name, &right] {
      for (int i = 0; i < kRounds; ++i) {
        const std::string mine = name + std::to_string(i);
        try {
          try {
            throw std::runtime_error(mine);
          } catch (...) {
            yield();
            migrate(scheduler());
            yield();
            throw;
          }
        } catch (const std::runtime_error& error) {
          EXPECT_EQ(error.what(), mine);
          if (error.what() == mine) ++right;
        }
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        EXPECT_EQ(std::current_exception(), nullptr);
      }
    });
  }
  scheduler().stop();
  EXPECT_EQ(right, 4 * kRounds);
}

TEST_F(Seam, ParkingWhileTheStackUnwindsKeepsTheExceptionInFlight) {
  struct ParksInDestructor {
    Scheduler& scheduler;
    ~ParksInDestructor() {
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      migrate(scheduler);
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
  };
  on_virtual_thread([this] {
    try {
      const ParksInDestructor parks{scheduler()};
      throw std::runtime_error("in flight");
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "in flight");
    }
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  });
}

TEST_F(Seam, RoundingModeTravelsAndStaysPrivate) {
  on_virtual_thread([this] {
    fesetround(FE_UPWARD);  // sets both words, x87 and SSE
    for (int i = 0; i < kRounds; ++i) {
      migrate(scheduler());
      EXPECT_EQ(fegetround(), FE_UPWARD);
      volatile double one = 1.0;
      volatile double three = 3.0;
      volatile double up = one / three;
      EXPECT_GT(up * three, one);
      std::atomic<bool> done{false};
      VirtualThread* self = current();
      scheduler().start([&, self] {
        EXPECT_EQ(fegetround(), FE_TONEAREST) << "a new virtual thread begins with the default";
        done = true;
        unpark(*self);
      });
      while (!done) park();
    }
  });
}

}  // namespace
}  // namespace parkbench::virtual_threads
