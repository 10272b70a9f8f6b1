#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "parkbench/base/clock.hpp"
#include "parkbench/http/request.hpp"
#include "parkbench/http/response.hpp"
#include "parkbench/service/pages.hpp"
#include "parkbench/workload/options.hpp"

namespace parkbench::service {

/// Where a request goes, with its parameters checked.
struct Route {
  enum class Kind : std::uint8_t { hello, price, sleep, gateway, cpu, file, stream, page };
  static constexpr std::size_t kKinds = 8;
  Kind kind = Kind::hello;
  std::uint32_t product = 0;  // price
  Ns length = 0;              // sleep, cpu (0: what the workload says)
  std::uint32_t rows = 0;     // stream

  /// A sleep of the workload mixed, as long as the request's number says.
  static constexpr Ns kByNumber = -1;
};
/// `/price/{id}` of price: the route as a template; `other` of page, which stands for all that is no route either.
std::string_view to_string(Route::Kind kind);

/// The route, or the answer to a request that has none (400, 404, 405) or that needs no model: /healthz, /metrics and
/// /dump are answered at once, so that they are heard while every worker is busy.
std::variant<Route, http::Response> route(const http::Request& request, const workload::Options& options,
                                          const Pages& pages);

}  // namespace parkbench::service
