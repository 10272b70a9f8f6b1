#include "parkbench/service/route.hpp"

#include <gtest/gtest.h>

namespace parkbench::service {
namespace {

using http::Method;

struct NoPages final : Pages {
  std::string metrics() const override { return "metrics"; }
  std::string dump() const override { return "{}"; }
};

std::variant<Route, http::Response> routed(std::string_view path, std::string_view query = {},
                                           Method method = Method::get, workload::Kind kind = workload::Kind::pricing) {
  http::Request request;
  request.method = method;
  request.path = path;
  request.query = query;
  workload::Options options;
  options.kind = kind;
  return route(request, options, NoPages());
}

Route to(std::string_view path, std::string_view query = {}) {
  const auto found = routed(path, query);
  if (const auto* place = std::get_if<Route>(&found)) return *place;
  ADD_FAILURE() << path << '?' << query << " has no route: " << std::get<http::Response>(found).body;
  return {.kind = Route::Kind::page};
}

int status(std::string_view path, std::string_view query = {}, Method method = Method::get) {
  const auto found = routed(path, query, method);
  const auto* response = std::get_if<http::Response>(&found);
  return response == nullptr ? 0 : response->status;
}

TEST(Route, leads_each_path_to_its_handler) {
  EXPECT_EQ(to("/hello").kind, Route::Kind::hello);
  EXPECT_EQ(to("/price/12").product, 12U);
  EXPECT_EQ(to("/price/007").product, 7U);
  EXPECT_EQ(to("/sleep", "ms=1.5").length, 1'500'000);
  EXPECT_EQ(to("/sleep").length, workload::Options().sleep);
  EXPECT_EQ(to("/sleep", "x=1&ms=0").length, 0);
  EXPECT_EQ(to("/gateway").kind, Route::Kind::gateway);
  EXPECT_EQ(to("/gateway/orders/1").kind, Route::Kind::gateway);
  EXPECT_EQ(to("/cpu", "us=250").length, 250'000);
  EXPECT_EQ(to("/cpu").length, 0);
  EXPECT_EQ(to("/file").kind, Route::Kind::file);
  EXPECT_EQ(to("/stream", "rows=12").rows, 12U);
  EXPECT_EQ(to("/stream").rows, workload::Options().rows);
}

TEST(Route, a_sleep_of_the_workload_mixed_is_decided_by_the_number) {
  const auto found = routed("/sleep", {}, Method::get, workload::Kind::mixed);
  EXPECT_EQ(std::get<Route>(found).length, Route::kByNumber);
}

TEST(Route, tells_a_malformed_product_from_one_that_is_not_there) {
  for (const char* id : {"abc", "-1", "1;drop table", "1%20or%201=1", "1e3", "", "1/1", "+1", "1.0", " 1", "%31"}) {
    EXPECT_EQ(status("/price/" + std::string(id)), 400) << id;
  }
  for (const char* id : {"0", "00", "4294967296", "9223372036854775808", "99999999999999999999999999"}) {
    EXPECT_EQ(status("/price/" + std::string(id)), 404) << id;
  }
}

TEST(Route, refuses_parameters_that_are_malformed_too_large_or_there_twice) {
  for (const char* ms : {"ms=", "ms", "ms=-1", "ms=1e3", "ms=x", "ms=1&ms=1", "ms=600000.1", "ms=99999999999"}) {
    EXPECT_EQ(status("/sleep", ms), 400) << ms;
  }
  for (const char* rows : {"rows=1.5", "rows=10000001", "rows=1&a=2&rows=1"}) {
    EXPECT_EQ(status("/stream", rows), 400) << rows;
  }
  EXPECT_EQ(status("/cpu", "us=10000001"), 400);
  EXPECT_EQ(to("/sleep", "xms=1&msx=2").length, workload::Options().sleep) << "other parameters are none of ours";
}

TEST(Route, knows_no_other_path) {
  for (const char* path : {"/",
                           "*",
                           "",
                           "/hello/",
                           "/hell",
                           "/hellooo",
                           "/HELLO",
                           "//hello",
                           "/price",
                           "/gatewayx",
                           "/sleep/",
                           "/%2e%2e/etc/passwd",
                           "/../etc/passwd",
                           "/..\\etc",
                           "/%00",
                           "/%252e%252e/",
                           "/%c0%ae%c0%ae/",
                           "//etc/passwd",
                           "/cpux",
                           "/dumps",
                           "/metric",
                           "/f",
                           "/streams"}) {
    EXPECT_EQ(status(path), 404) << path;
  }
}

TEST(Route, answers_other_methods_with_those_it_takes) {
  for (const Method method : {Method::post, Method::put, Method::del, Method::patch, Method::trace}) {
    const auto found = routed("/price/1", {}, method);
    const auto& response = std::get<http::Response>(found);
    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(response.headers, "Allow: GET, HEAD\r\n");
    EXPECT_EQ(status("/nowhere", {}, method), 404);
  }
  EXPECT_EQ(status("*", {}, Method::options), 200);
  EXPECT_EQ(status("/hello", {}, Method::options), 200);
  const auto tunnel = routed("h:1", {}, Method::connect);
  EXPECT_EQ(std::get<http::Response>(tunnel).status, 405);
  EXPECT_TRUE(std::get<http::Response>(tunnel).close);
  EXPECT_EQ(status("/hello", {}, Method::head), 0) << "HEAD goes to the handler";
}

TEST(Route, answers_what_needs_no_model_at_once) {
  EXPECT_EQ(std::get<http::Response>(routed("/healthz")).body, "ok\n");
  EXPECT_EQ(std::get<http::Response>(routed("/metrics")).body, "metrics");
  EXPECT_EQ(std::get<http::Response>(routed("/metrics")).content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(std::get<http::Response>(routed("/dump")).content_type, "application/json");
  EXPECT_EQ(status("/metrics", {}, Method::post), 405);
}

}  // namespace
}  // namespace parkbench::service
