#include "parkbench/service/route.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include "parkbench/base/decimal.hpp"
#include "parkbench/http/query.hpp"

namespace parkbench::service {
namespace {

using http::Method;
using http::Request;
using http::Response;
using Kind = Route::Kind;
using Routed = std::variant<Route, Response>;

constexpr Ns kLongestSleep = 600 * kSecond;
constexpr Ns kLongestCpu = 10 * kSecond;
constexpr std::int64_t kMostRows = 10'000'000;
constexpr std::string_view kPrice = "/price/";
constexpr std::string_view kGateway = "/gateway";

/// What a path leads to: the routes, and the pages that need no model.
enum class Place : std::uint8_t { hello, price, sleep, gateway, cpu, file, stream, healthz, metrics, dump, nowhere };

Place only(std::string_view path, std::string_view expected, Place place) {
  return path == expected ? place : Place::nowhere;
}

/// By one character and one comparison: no map, nothing allocated.
Place find(std::string_view path) {
  if (path.size() < 2 || path[0] != '/') return Place::nowhere;
  switch (path[1]) {
    case 'h':
      return path == "/hello" ? Place::hello : only(path, "/healthz", Place::healthz);
    case 'p':
      return path.starts_with(kPrice) ? Place::price : Place::nowhere;
    case 's':
      return path == "/sleep" ? Place::sleep : only(path, "/stream", Place::stream);
    case 'g':
      if (!path.starts_with(kGateway)) return Place::nowhere;
      return path.size() == kGateway.size() || path[kGateway.size()] == '/' ? Place::gateway : Place::nowhere;
    case 'c':
      return only(path, "/cpu", Place::cpu);
    case 'f':
      return only(path, "/file", Place::file);
    case 'm':
      return only(path, "/metrics", Place::metrics);
    case 'd':
      return only(path, "/dump", Place::dump);
    default:
      return Place::nowhere;
  }
}

/// Is there a parameter of that name, whatever its value and however often?
bool names(std::string_view query, std::string_view name) {
  for (std::size_t at = query.find(name); at != std::string_view::npos; at = query.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || query[at - 1] == '&';
    if (begins && (end == query.size() || query[end] == '=' || query[end] == '&')) return true;
  }
  return false;
}

Response malformed(std::string_view name, std::string_view what) {
  return http::error_response(400, std::string(name) + " must be given once, " + std::string(what));
}

Response allowed(int status) {
  Response response = status == 200 ? Response{} : http::error_response(status);
  response.headers = "Allow: GET, HEAD\r\n";
  return response;
}

Response page(std::string body, std::string_view content_type = Response{}.content_type) {
  Response response;
  response.content_type = content_type;
  response.body = std::move(body);
  return response;
}

/// A length of time from a decimal parameter. In integers: std::from_chars of a double would touch a second page of a
/// virtual thread's stack, which a parked request then holds.
Routed timed(Kind kind, std::string_view query, std::string_view name, int digits, Ns most, Ns otherwise) {
  Ns length = otherwise;
  if (names(query, name)) {
    const auto text = http::parameter(query, name);
    const auto value = text ? parse_decimal(*text, digits) : std::nullopt;
    if (!value || *value > most) {
      return malformed(name, "a decimal number for at most " + std::to_string(most / kSecond) + " s");
    }
    length = *value;
  }
  return Route{.kind = kind, .length = length};
}

Routed priced(std::string_view id) {
  if (id.empty() || id.find_first_not_of("0123456789") != std::string_view::npos) {
    return http::error_response(400, "a product is a whole number");
  }
  id.remove_prefix(std::min(id.find_first_not_of('0'), id.size()));
  const auto number = http::whole_number(id, std::numeric_limits<std::uint32_t>::max());
  if (!number) return http::error_response(404, "no such product");  // 0, or more than there can be
  return Route{.kind = Kind::price, .product = static_cast<std::uint32_t>(*number)};
}

Routed streamed(std::string_view query, std::uint32_t otherwise) {
  std::uint32_t rows = otherwise;
  if (names(query, "rows")) {
    const auto text = http::parameter(query, "rows");
    const auto value = text ? http::whole_number(*text, kMostRows) : std::nullopt;
    if (!value) return malformed("rows", "a whole number up to " + std::to_string(kMostRows));
    rows = static_cast<std::uint32_t>(*value);
  }
  return Route{.kind = Kind::stream, .rows = rows};
}

}  // namespace

std::string_view to_string(Kind kind) {
  static constexpr std::array<std::string_view, Route::kKinds> kNames = {
      "/hello", "/price/{id}", "/sleep", "/gateway/**", "/cpu", "/file", "/stream", "other"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Routed route(const Request& request, const workload::Options& options, const Pages& pages) {
  const Place place = find(request.path);
  if (request.method != Method::get && request.method != Method::head) {
    if (request.method == Method::connect) {
      Response response = allowed(405);
      response.close = true;
      return response;
    }
    if (request.method == Method::options && request.path == "*") return allowed(200);
    if (place == Place::nowhere) return http::error_response(404);
    return allowed(request.method == Method::options ? 200 : 405);
  }
  switch (place) {
    case Place::hello:
      return Route{};
    case Place::price:
      return priced(request.path.substr(kPrice.size()));
    case Place::sleep: {
      const Ns otherwise = options.kind == workload::Kind::mixed ? Route::kByNumber : options.sleep;
      return timed(Kind::sleep, request.query, "ms", 6, kLongestSleep, otherwise);
    }
    case Place::gateway:
      return Route{.kind = Kind::gateway};
    case Place::cpu:
      return timed(Kind::cpu, request.query, "us", 3, kLongestCpu, 0);
    case Place::file:
      return Route{.kind = Kind::file};
    case Place::stream:
      return streamed(request.query, options.rows);
    case Place::healthz:
      return page("ok\n");
    case Place::metrics:
      return page(pages.metrics(), "text/plain; version=0.0.4; charset=utf-8");
    case Place::dump:
      return page(pages.dump(), "application/json");
    case Place::nowhere:
      break;
  }
  return http::error_response(404);
}

}  // namespace parkbench::service
