#include "parkbench/workload/run_blocking.hpp"

#include <exception>
#include <new>

#include "parkbench/workload/cpu/blocking.hpp"
#include "parkbench/workload/file/blocking.hpp"
#include "parkbench/workload/gateway/blocking.hpp"
#include "parkbench/workload/mixed/blocking.hpp"
#include "parkbench/workload/noop/blocking.hpp"
#include "parkbench/workload/pricing/blocking.hpp"
#include "parkbench/workload/sleep/blocking.hpp"
#include "parkbench/workload/stream/blocking.hpp"

namespace parkbench::workload {
namespace {

using measure::Phase;

std::int64_t answer(Resources& resources, measure::Request& request, io::Waiter& waiter) {
  switch (resources.options.kind) {
    case Kind::noop:
      return noop::run_blocking();
    case Kind::sleep:
      return sleep::run_blocking(resources, request, waiter, resources.options.sleep);
    case Kind::pricing:
      return pricing::BlockingPricing(resources, request, waiter).run();
    case Kind::gateway:
      return gateway::value_of(gateway::run_blocking(resources, request, waiter, gateway::Inbound{}));
    case Kind::cpu:
      return cpu::run_blocking(resources, request, waiter, 0);
    case Kind::file:
      return file::run_blocking(resources, request, waiter);
    case Kind::stream:
      return stream::run_blocking(resources, request, waiter);
    case Kind::mixed:
      return mixed::run_blocking(resources, request, waiter);
  }
  return 0;
}

}  // namespace

void run_blocking(Resources& resources, measure::Request& request, io::Waiter& waiter) {
  const Ns begin = resources.clock.now();
  request.trace.add(Phase::queue, request.accepted, begin);
  request.trace.begin(Phase::cpu, begin);
  try {
    if (request.deadline.passed(begin)) {
      request.fail(ErrorCode::timeout);
    } else {
      if (resources.plants.any()) resources.plants.begin(resources, request, &waiter);
      request.succeed(answer(resources, request, waiter));
    }
  } catch (const Failure& failure) {
    request.fail(failure.code());
    resources.errors.keep(failure.error());
  } catch (const std::bad_alloc&) {
    request.fail(ErrorCode::out_of_memory);
    resources.errors.keep({ErrorCode::out_of_memory, kNoMemory});
  } catch (const std::exception& other) {
    request.fail(ErrorCode::internal);
    resources.errors.keep({ErrorCode::internal, other.what()});
  }
  request.answer_ready = resources.clock.now();
  request.trace.end(request.answer_ready);
}

}  // namespace parkbench::workload
