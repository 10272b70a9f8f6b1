#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "parkbench/http/client_session.hpp"
#include "parkbench/load/http_plan.hpp"
#include "parkbench/measure/request.hpp"

namespace parkbench::load {

/// Decides what a whole answer means: 2xx with the body that the plan asks for is ok, 503 is rejected, anything else
/// failed, a 5xx by the cause that our own server names in a header. A price goes into request.answer.
void check_answer(const HttpPlan& plan, const http::ClientSession& session, measure::Request& request);

/// The number behind `"final_price":` in a JSON object.
std::optional<std::int64_t> final_price(std::string_view body);

/// Puts the phases of a Server-Timing header into the request's trace, and what the client saw beyond them as
/// `network`; without a readable one the request is not `timed`.
void take_server_timing(std::string_view header, measure::Request& request);

}  // namespace parkbench::load
