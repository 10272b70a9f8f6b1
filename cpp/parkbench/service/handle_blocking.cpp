#include "parkbench/service/handle_blocking.hpp"

#include <exception>
#include <new>

#include "parkbench/service/answers.hpp"
#include "parkbench/service/error_answer.hpp"
#include "parkbench/workload/cpu/blocking.hpp"
#include "parkbench/workload/file/blocking.hpp"
#include "parkbench/workload/gateway/blocking.hpp"
#include "parkbench/workload/mixed/share.hpp"
#include "parkbench/workload/pricing/blocking.hpp"
#include "parkbench/workload/sleep/blocking.hpp"
#include "parkbench/workload/stream/blocking.hpp"

namespace parkbench::service {
namespace {

using workload::Resources;

// Each kind in a function of its own: a sleeping request's stack must not have room for a query's locals.
[[gnu::noinline]] void price(Resources& resources, const Route& route, Call call, io::Waiter& waiter, Reply& reply) {
  if (!resources.pool) throw Failure(ErrorCode::not_found, "no prices here: the workload is another one");
  call.account.product = route.product;
  const auto quote = workload::pricing::BlockingPricing(resources, call.account, waiter).quote();
  reply.response = price_answer(quote);
  call.account.succeed(quote.final_minor);
}

[[gnu::noinline]] void sleep(Resources& resources, const Route& route, Call call, io::Waiter& waiter) {
  const Ns length = route.length == Route::kByNumber
                        ? workload::mixed::length_of(resources.options, call.account.number)
                        : route.length;
  workload::sleep::run_blocking(resources, call.account, waiter, length);
}

[[gnu::noinline]] void pass(Resources& resources, Call call, io::Waiter& waiter, Reply& reply) {
  reply.response = passed_answer(workload::gateway::run_blocking(resources, call.account, waiter, inbound(call.http)));
}

void answer(Resources& resources, const Route& route, Call call, io::Waiter& waiter, Reply& reply) {
  call.account.succeed(0);
  switch (route.kind) {
    case Route::Kind::hello:
    case Route::Kind::page:
      reply.response = hello_answer();
      break;
    case Route::Kind::price:
      price(resources, route, call, waiter, reply);
      break;
    case Route::Kind::sleep:
      sleep(resources, route, call, waiter);
      reply.response = slept_answer();
      break;
    case Route::Kind::gateway:
      pass(resources, call, waiter, reply);
      break;
    case Route::Kind::cpu:
      workload::cpu::run_blocking(resources, call.account, waiter, route.length);
      reply.response = computed_answer();
      break;
    case Route::Kind::file:
      reply.response = file_answer(workload::file::run_blocking(resources, call.account, waiter));
      break;
    case Route::Kind::stream:
      reply.response = stream_head();
      reply.rows.emplace(workload::stream::rows_blocking(resources, route.rows));
      break;
  }
}

[[gnu::noinline]] void answer_error(Resources& resources, Call call, const Error& error, Reply& reply) {
  call.account.fail(error.code);
  resources.errors.keep(error);
  reply.response = error_answer(error);
  reply.rows.reset();
}

}  // namespace

Reply handle_blocking(Resources& resources, const Route& route, Call call, io::Waiter& waiter) {
  Reply reply;
  const bool in_time = begin(call, resources.clock.now());
  try {
    if (!in_time) throw Failure(ErrorCode::timeout, "the request's time was up before it began");
    if (resources.plants.any()) resources.plants.begin(resources, call.account, &waiter);
    answer(resources, route, call, waiter, reply);
  } catch (const Failure& failure) {
    answer_error(resources, call, failure.error(), reply);
  } catch (const std::bad_alloc&) {
    answer_error(resources, call, {ErrorCode::out_of_memory, workload::kNoMemory}, reply);
  } catch (const std::exception& other) {
    answer_error(resources, call, {ErrorCode::internal, other.what()}, reply);
  }
  finish(call, resources.clock.now(), reply.response, reply.rows.has_value());
  return reply;
}

}  // namespace parkbench::service
