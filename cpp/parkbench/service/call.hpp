#pragma once

#include <optional>
#include <string>

#include "parkbench/base/unique_function.hpp"
#include "parkbench/http/request.hpp"
#include "parkbench/http/response.hpp"
#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/reactive/flux.hpp"

namespace parkbench::service {

/// One request on its way through a handler.
struct Call {
  const http::Request& http;  // valid until the answer is given
  measure::Request& account;  // number, deadline, trace; the handler's own stamps go in here
};

/// The next piece of a stream into `piece`; false when there is none. It waits, if it must, by the waiter.
using Rows = UniqueFunction<bool(std::string& piece, io::Waiter& waiter)>;

/// The answer of a blocking handler: whole, or a head with rows to follow.
struct Reply {
  http::Response response;
  std::optional<Rows> rows;
};

/// The answer of a reactive handler: whole, or a head with a stream to follow, row by row as the socket takes them.
struct ReactiveReply {
  http::Response response;
  std::optional<reactive::Flux<std::string>> rows;
};

}  // namespace parkbench::service
