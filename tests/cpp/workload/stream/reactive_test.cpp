#include "parkbench/workload/stream/reactive.hpp"

#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "parkbench/workload/stream/blocking.hpp"
#include "workload/manual_waiter.hpp"

namespace parkbench::workload::stream {
namespace {

Options every(Ns between) {
  Options options = testing::without_database(Kind::stream);
  options.rows = 5;
  options.row_every = between;
  return options;
}

/// Takes rows and asks for more only when told to.
class Reader final : public reactive::Node<reactive::Subscriber<std::string>> {
 public:
  void on_subscribe(reactive::Subscription& s) noexcept override { subscription = reactive::Ref(&s); }
  void on_next(std::string&& row) noexcept override { rows.push_back(std::move(row)); }
  void on_error(Error e) noexcept override { error = e.code; }
  void on_complete() noexcept override {
    complete = true;
    over.set_value();
  }
  reactive::Ref<reactive::Subscription> subscription;
  std::vector<std::string> rows;
  ErrorCode error = ErrorCode::none;
  bool complete = false;
  std::promise<void> over;
};

class Rows : public ::testing::Test {
 protected:
  Rows() { loop.start(); }
  template <class F>
  void on_loop(F f) {
    std::promise<void> done;
    loop.post([&] {
      f();
      done.set_value();
    });
    done.get_future().get();
  }
  reactive::EventLoop loop;
};

TEST_F(Rows, come_as_they_are_asked_for) {
  Resources resources(every(0), SteadyClock::instance());
  const auto reader = reactive::make_ref<Reader>();
  on_loop([&] {
    rows_flux(resources, 3, loop).subscribe(reactive::Ref<reactive::Subscriber<std::string>>(reader));
    EXPECT_TRUE(reader->rows.empty());
    reader->subscription->request(1);
    EXPECT_EQ(reader->rows.size(), 1U);
    reader->subscription->request(2);
    EXPECT_TRUE(reader->complete);
    reader->subscription->request(1);
  });
  EXPECT_EQ(reader->rows, (std::vector<std::string>{row_text(1), row_text(2), row_text(3)}));
}

TEST_F(Rows, wait_for_their_time_and_for_demand) {
  Resources resources(every(kMillisecond), SteadyClock::instance());
  const auto reader = reactive::make_ref<Reader>();
  auto over = reader->over.get_future();
  const Ns begin = loop.clock().now();
  on_loop([&] {
    rows_flux(resources, 4, loop).subscribe(reactive::Ref<reactive::Subscriber<std::string>>(reader));
    reader->subscription->request(reactive::kUnbounded);
    EXPECT_EQ(reader->rows.size(), 1U);  // the first at once
    EXPECT_EQ(loop.gauge().waiting[static_cast<std::size_t>(io::WaitReason::app_wait)], 1);
  });
  over.get();
  EXPECT_GE(loop.clock().now() - begin, 3 * kMillisecond);
  EXPECT_EQ(reader->rows.size(), 4U);
  EXPECT_EQ(loop.gauge().waiting[static_cast<std::size_t>(io::WaitReason::app_wait)], 0);
}

TEST_F(Rows, end_when_cancelled_or_asked_wrongly) {
  Resources resources(every(kSecond), SteadyClock::instance());
  const auto cancelled = reactive::make_ref<Reader>();
  const auto wrong = reactive::make_ref<Reader>();
  on_loop([&] {
    rows_flux(resources, 4, loop).subscribe(reactive::Ref<reactive::Subscriber<std::string>>(cancelled));
    cancelled->subscription->request(2);
    cancelled->subscription->cancel();
    EXPECT_EQ(loop.gauge().waiting[static_cast<std::size_t>(io::WaitReason::app_wait)], 0);
    rows_flux(resources, 4, loop).subscribe(reactive::Ref<reactive::Subscriber<std::string>>(wrong));
    wrong->subscription->request(0);
  });
  EXPECT_EQ(cancelled->rows.size(), 1U);
  EXPECT_FALSE(cancelled->complete);
  EXPECT_EQ(wrong->error, ErrorCode::internal);
}

TEST_F(Rows, no_rows_are_over_at_once) {
  Resources resources(every(0), SteadyClock::instance());
  const auto reader = reactive::make_ref<Reader>();
  on_loop([&] { rows_flux(resources, 0, loop).subscribe(reactive::Ref<reactive::Subscriber<std::string>>(reader)); });
  EXPECT_TRUE(reader->complete);
}

TEST_F(Rows, are_counted_where_there_is_no_http) {
  Resources resources(every(kMillisecond), SteadyClock::instance());
  measure::Request request;
  std::promise<std::int64_t> rows;
  on_loop([&] {
    request.trace.begin(measure::Phase::cpu, loop.clock().now());
    run_reactive(resources, request, loop).subscribe([&rows](std::int64_t n) { rows.set_value(n); });
  });
  EXPECT_EQ(rows.get_future().get(), 5);
  EXPECT_GT(request.trace.spent(measure::Phase::app_wait), 0);
}

TEST(BlockingRows, are_the_same_and_wait_as_long) {
  ManualClock clock(1);
  testing::ManualWaiter waiter(clock);
  Resources resources(every(kSecond), clock);
  auto rows = rows_blocking(resources, 3);
  std::vector<std::string> got;
  for (std::string piece; rows(piece, waiter);) got.push_back(piece);
  EXPECT_EQ(got, (std::vector<std::string>{row_text(1), row_text(2), row_text(3)}));
  EXPECT_EQ(clock.now(), 1 + 2 * kSecond);
  EXPECT_FALSE(rows(got[0], waiter));

  measure::Request request;
  request.trace.begin(measure::Phase::cpu, clock.now());
  EXPECT_EQ(run_blocking(resources, request, waiter), 5);
  EXPECT_EQ(request.trace.spent(measure::Phase::app_wait), 4 * kSecond);
}

}  // namespace
}  // namespace parkbench::workload::stream
