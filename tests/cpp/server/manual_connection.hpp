#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "parkbench/base/parker.hpp"
#include "parkbench/base/thread.hpp"
#include "parkbench/server/connection_loop.hpp"
#include "server/peer.hpp"

namespace parkbench::server::testing {

/// A loop with connections whose requests the test answers, on the test's thread; the clock is moved by the test.
class ManualPlace {
 public:
  /// A request is handled when the test says so.
  class Connection final : public EventConnection {
   public:
    Connection(ManualPlace& place, UniqueFd fd, Ns now)
        : EventConnection(place.place, std::move(fd), now), manual_(place) {}

    std::uint64_t number() const { return account_.number; }
    /// Answers and sends. The connection is still the caller's.
    void answer(const std::string& body) {
      http::Response response;
      response.body = body;
      manual_.books.answer(account_);
      respond(response, manual_.clock.now());
      EXPECT_EQ(send_pending(now_), Sent::all);
    }
    using EventConnection::give_back;
    using EventConnection::give_back_idle;

   private:
    void handle() override {
      if (!admit(account_)) return;
      manual_.books.begin();
      manual_.loop.post([this] {
        const std::lock_guard lock(manual_.mutex);
        manual_.requests.push_back(this);
      });
    }
    void feed() override {}
    void closed() override {
      ++manual_.closed;
      delete this;
    }

    ManualPlace& manual_;
    measure::Request account_;
  };

  explicit ManualPlace(std::uint64_t first_number = 0, std::uint64_t step = 1) {
    loop.start();
    place.start([this](UniqueFd fd, Ns now) -> EventConnection& { return make(std::move(fd), now); }, first_number,
                step);
  }
  ~ManualPlace() {
    std::atomic<bool> stopped{false};
    Thread stop("stop", [&] {
      place.stop();
      stopped = true;
    });
    until([&] {
      clock.advance(kMillisecond);  // it looks again from time to time
      return stopped.load();
    });
    stop.join();
    loop.stop();
  }

  EventConnection& make(UniqueFd fd, Ns now) {
    if (to_fail.exchange(false)) throw Failure(ErrorCode::out_of_memory, "planted");
    ++made;
    return *new Connection(*this, std::move(fd), now);
  }
  /// The next request that is handled.
  Connection& next() {
    Connection* taken = nullptr;
    until([&] {
      const std::lock_guard lock(mutex);
      if (requests.empty()) return false;
      taken = requests.front();
      requests.erase(requests.begin());
      return true;
    });
    return *taken;
  }
  /// Moves the clock and lets the loop see it.
  void pass(Ns time) {
    clock.advance(time);
    turn();
    turn();  // tasks run before timers: in the second turn the timers of the first have run
  }
  void turn() {
    Parker ran;
    ASSERT_TRUE(loop.post([&] { ran.unpark(); }));
    ran.park(SteadyClock::instance(), Deadline::never());
  }

  struct NoPages final : service::Pages {
    std::string metrics() const override { return {}; }
    std::string dump() const override { return {}; }
  };

  ManualClock clock{kSecond};
  ServerOptions options;
  workload::Resources resources{[] {
                                  workload::Options work;
                                  work.kind = workload::Kind::sleep;
                                  return work;
                                }(),
                                clock};
  NoPages pages;
  NoSink sink;
  models::Books books{sink, std::nullopt};
  ConnectionTable table;
  RequestTally tally;
  Shared shared{options, 1'000, resources, pages, books, table, tally};
  reactive::EventLoop loop{{.clock = &clock}};
  ConnectionLoop place{loop, options, false, shared};

  std::mutex mutex;  // guards requests
  std::vector<Connection*> requests;
  std::atomic<int> made{0};
  std::atomic<int> closed{0};
  std::atomic<bool> to_fail{false};
};

}  // namespace parkbench::server::testing
