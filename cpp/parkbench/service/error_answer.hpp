#pragma once

#include "parkbench/base/error.hpp"
#include "parkbench/http/response.hpp"

namespace parkbench::service {

/// What a client is told of an error: 404 for what is not there, 503 with Retry-After for what was refused, 504 for
/// what took too long, 502 for a downstream that failed, 500 for the rest; one line of text without any secret.
http::Response error_answer(const Error& error);
/// The answer of a server that takes no more requests into its model.
http::Response overloaded();

}  // namespace parkbench::service
