#pragma once

#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/mono.hpp"
#include "parkbench/service/call.hpp"
#include "parkbench/service/route.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::service {

/// The handler of a route as a Mono of its answer; to be subscribed to on the loop's thread. It never fails: errors
/// have become answers, as in handle_blocking. resources, call and loop outlive the subscription.
reactive::Mono<ReactiveReply> handle_reactive(workload::Resources& resources, const Route& route, Call call,
                                              reactive::EventLoop& loop);

}  // namespace parkbench::service
