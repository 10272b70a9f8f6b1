#include "parkbench/server/pages.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace parkbench::server {
namespace {

/// A server that says what the test has put in.
class Told final : public Server {
 public:
  std::uint16_t port() const override { return 1; }
  ServerCounters server_counters() const override {
    return {.connections = 3, .connections_total = 5, .connections_dropped = 1, .requests = 9, .bad_requests = 2};
  }
  std::int64_t accept_queue() const override { return 0; }
  models::Counters counters() const override {
    models::Counters counters;
    counters.threads = {4, 1, 2, 0, 3, 0};
    counters.requests_waiting = {2, 7, 3};
    counters.queued = 6;
    counters.held = 12;
    return counters;
  }
  std::string_view guard_mode() const override { return "mprotect"; }
  std::vector<int> thread_ids() const override { return {}; }
  void stop() override {}
};

struct Setting {
  Setting()
      : resources(options(), SteadyClock::instance()), pages("virtual_threads", server, table, tally, resources) {}
  static workload::Options options() {
    workload::Options options;
    options.kind = workload::Kind::noop;
    return options;
  }
  Told server;
  ConnectionTable table;
  RequestTally tally;
  workload::Resources resources;
  ServerPages pages;
};

TEST(Pages, show_counters_by_micrometers_names_where_one_fits) {
  Setting s;
  s.tally.count(1, service::Route::Kind::hello, 200, 1'500'000);
  s.tally.count(2, service::Route::Kind::hello, 204, 500'000);
  s.tally.count(2, service::Route::Kind::price, 404, 7);
  s.tally.count(3, service::Route::Kind::gateway, 503, 0);
  const std::string text = s.pages.metrics();
  for (const char* line : {
           "parkbench_info{model=\"virtual_threads\",guard=\"mprotect\"} 1\n",
           "http_server_requests_seconds_count{uri=\"/hello\",outcome=\"SUCCESS\"} 2\n",
           "http_server_requests_seconds_sum{uri=\"/hello\",outcome=\"SUCCESS\"} 0.002000000\n",
           "http_server_requests_seconds_sum{uri=\"/price/{id}\",outcome=\"CLIENT_ERROR\"} 0.000000007\n",
           "http_server_requests_seconds_count{uri=\"/gateway/**\",outcome=\"SERVER_ERROR\"} 1\n",
           "http_server_requests_active 12\n",
           "parkbench_threads{state=\"app_wait\"} 3\n",
           "parkbench_requests_waiting{reason=\"connection\"} 7\n",
           "executor_active_threads{name=\"virtual_threads\"} 6\n",
           "executor_pool_size_threads{name=\"virtual_threads\"} 10\n",
           "executor_queued_tasks{name=\"virtual_threads\"} 6\n",
           "parkbench_connections 3\n",
           "parkbench_connections_dropped_total 1\n",
           "parkbench_bad_requests_total 2\n",
       }) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(text.find("hikaricp"), std::string::npos) << "there is no pool";
}

TEST(Pages, every_sample_belongs_to_a_family_that_was_declared_just_before) {
  Setting s;
  s.tally.count(1, service::Route::Kind::hello, 200, 1);
  std::istringstream lines(s.pages.metrics());
  std::string family;
  std::set<std::string> families;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(families.insert(family).second) << family << " is there twice";
    } else if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(line.starts_with("# TYPE " + family + ' ')) << line;
    } else {
      EXPECT_TRUE(line.starts_with(family)) << line;
      EXPECT_NO_THROW(std::stod(line.substr(line.rfind(' ') + 1))) << line;
    }
  }
  EXPECT_GT(families.size(), 15U);
}

TEST(Pages, the_tally_adds_up) {
  RequestTally tally;
  for (std::uint64_t connection = 0; connection < 100; ++connection) {
    tally.count(connection, service::Route::Kind::sleep, 200, 2);
  }
  tally.count_bad();
  EXPECT_EQ(tally.requests(), 100U);
  EXPECT_EQ(tally.bad(), 1U);
  EXPECT_EQ(tally.of(service::Route::Kind::sleep, RequestTally::Outcome::success).time, 200);
  EXPECT_EQ(tally.of(service::Route::Kind::sleep, RequestTally::Outcome::server_error).requests, 0U);
}

}  // namespace
}  // namespace parkbench::server
