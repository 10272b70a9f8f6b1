#pragma once

#include <cstdint>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/error.hpp"
#include "parkbench/http/response.hpp"
#include "parkbench/service/call.hpp"
#include "parkbench/workload/gateway/passed.hpp"
#include "parkbench/workload/pricing/price.hpp"

/// What the blocking and the reactive handlers have in common: the bytes of their answers, and the account of a
/// request.
namespace parkbench::service {

http::Response hello_answer();  // 13 bytes
http::Response slept_answer();
/// `{"product":1,"price":1234,"discount":500,"final_price":1172}`: minor units, hundredths of a percent.
http::Response price_answer(const workload::pricing::Quote& quote);
http::Response computed_answer();
http::Response file_answer(std::int64_t bytes);
http::Response passed_answer(workload::gateway::Passed passed);
http::Response stream_head();

workload::gateway::Inbound inbound(const http::Request& request);

/// The handler's first instruction: `queue` ends, `cpu` begins. False: the request's time was up before.
bool begin(Call call, Ns now);
/// The handler's last one: `cpu` ends, answer_ready is stamped, and who asked for it by `X-Parkbench-Timing: 1` (then
/// account.timed since begin) gets the phases in a header.
void finish(Call call, Ns now, http::Response& response, bool streams);

}  // namespace parkbench::service
