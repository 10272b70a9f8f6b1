#include "parkbench/service/handle_reactive.hpp"

#include "parkbench/service/answers.hpp"
#include "parkbench/service/error_answer.hpp"
#include "parkbench/workload/cpu/reactive.hpp"
#include "parkbench/workload/file/reactive.hpp"
#include "parkbench/workload/gateway/reactive.hpp"
#include "parkbench/workload/mixed/share.hpp"
#include "parkbench/workload/pricing/reactive.hpp"
#include "parkbench/workload/sleep/reactive.hpp"
#include "parkbench/workload/stream/reactive.hpp"

namespace parkbench::service {
namespace {

using http::Response;
using reactive::EventLoop;
using reactive::Mono;
using workload::Resources;

Mono<Response> price(Resources& resources, const Route& route, Call call, EventLoop& loop) {
  if (!resources.pool) {
    return Mono<Response>::error({ErrorCode::not_found, "no prices here: the workload is another one"});
  }
  call.account.product = route.product;
  return workload::pricing::quote_reactive(resources, call.account, loop)
      .map([call](const workload::pricing::Quote& quote) {
        call.account.succeed(quote.final_minor);
        return price_answer(quote);
      });
}

Mono<Response> answer(Resources& resources, const Route& route, Call call, EventLoop& loop) {
  call.account.succeed(0);
  switch (route.kind) {
    case Route::Kind::price:
      return price(resources, route, call, loop);
    case Route::Kind::sleep: {
      const Ns length = route.length == Route::kByNumber
                            ? workload::mixed::length_of(resources.options, call.account.number)
                            : route.length;
      return workload::sleep::run_reactive(resources, call.account, loop, length).map([](std::int64_t) {
        return slept_answer();
      });
    }
    case Route::Kind::gateway:
      return workload::gateway::run_reactive(resources, call.account, loop, inbound(call.http)).map(passed_answer);
    case Route::Kind::cpu:
      return workload::cpu::run_reactive(resources, call.account, loop, route.length).map([](std::int64_t) {
        return computed_answer();
      });
    case Route::Kind::file:
      return workload::file::run_reactive(resources, call.account, loop).map(file_answer);
    case Route::Kind::hello:
    case Route::Kind::page:
    case Route::Kind::stream:
      break;  // answered without waiting
  }
  return Mono<Response>::just(hello_answer());
}

Mono<ReactiveReply> reply_with(Resources& resources, Call call, Response response) {
  finish(call, resources.clock.now(), response, false);
  return Mono<ReactiveReply>::just({std::move(response), std::nullopt});
}

Mono<ReactiveReply> reply_with_error(Resources& resources, Call call, const Error& error) {
  call.account.fail(error.code);
  resources.errors.keep(error);
  return reply_with(resources, call, error_answer(error));
}

}  // namespace

Mono<ReactiveReply> handle_reactive(Resources& resources, const Route& route, Call call, EventLoop& loop) {
  if (!begin(call, resources.clock.now())) {
    return reply_with_error(resources, call, {ErrorCode::timeout, "the request's time was up before it began"});
  }
  if (resources.plants.any()) resources.plants.begin(resources, call.account, nullptr);
  if (route.kind == Route::Kind::hello) {
    call.account.succeed(0);
    return reply_with(resources, call, hello_answer());
  }
  if (route.kind == Route::Kind::stream) {
    call.account.succeed(0);
    ReactiveReply reply{stream_head(), workload::stream::rows_flux(resources, route.rows, loop)};
    finish(call, resources.clock.now(), reply.response, true);
    return Mono<ReactiveReply>::just(std::move(reply));
  }
  // Deferred, so that what assembling the chain throws becomes an answer too.
  return Mono<Response>::defer([&resources, route, call, &loop] { return answer(resources, route, call, loop); })
      .map([&resources, call](Response response) {
        finish(call, resources.clock.now(), response, false);
        return ReactiveReply{std::move(response), std::nullopt};
      })
      .on_error_resume([&resources, call](const Error& error) { return reply_with_error(resources, call, error); });
}

}  // namespace parkbench::service
