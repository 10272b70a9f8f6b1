#include "parkbench/service/answers.hpp"

#include <string>

#include "parkbench/measure/server_timing.hpp"

namespace parkbench::service {

using http::Response;
using measure::Phase;

namespace {

Response text(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

}  // namespace

Response hello_answer() { return text("Hello, World!"); }
Response slept_answer() { return text("slept"); }
Response computed_answer() { return text("computed"); }
Response file_answer(std::int64_t bytes) { return text("read " + std::to_string(bytes)); }

Response price_answer(const workload::pricing::Quote& quote) {
  Response response =
      text("{\"product\":" + std::to_string(quote.product) + ",\"price\":" + std::to_string(quote.price_minor) +
           ",\"discount\":" + std::to_string(quote.percent_hundredths) +
           ",\"final_price\":" + std::to_string(quote.final_minor) + "}");
  response.content_type = "application/json";
  return response;
}

Response passed_answer(workload::gateway::Passed passed) {
  Response response = text(std::move(passed.body));
  response.status = passed.status;
  response.content_type = passed.content_type;
  response.headers = std::move(passed.headers);
  return response;
}

Response stream_head() {
  Response response;
  response.content_type = "text/event-stream";
  response.headers = "Cache-Control: no-store\r\n";
  return response;
}

workload::gateway::Inbound inbound(const http::Request& request) {
  return {.path = request.path,
          .authorization = request.header("Authorization"),
          .denied = request.has_header("X-Deny"),
          .query = request.query};
}

bool begin(Call call, Ns now) {
  measure::Request& account = call.account;
  account.timed = call.http.header("X-Parkbench-Timing") == "1";
  account.trace.set_sampled(account.timed);
  account.trace.add(Phase::queue, account.accepted, now);
  account.trace.begin(Phase::cpu, now);
  return !account.deadline.passed(now);
}

void finish(Call call, Ns now, Response& response, bool streams) {
  measure::Request& account = call.account;
  account.answer_ready = now;
  account.trace.end(now);
  if (streams || !account.timed) return;
  response.headers += "Server-Timing: ";
  response.headers += measure::format_server_timing(account.trace, account.answer_ready - account.accepted);
  response.headers += "\r\n";
}

}  // namespace parkbench::service
