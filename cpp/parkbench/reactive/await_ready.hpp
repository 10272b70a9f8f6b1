#pragma once

#include "parkbench/base/deadline.hpp"
#include "parkbench/io/waiter.hpp"
#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/mono.hpp"

namespace parkbench::reactive {

/// Calls done on the loop's thread when source is ready for interest, or deadline has passed (timed_out), but never
/// from within this call. told is the poller's stamp, running the time at which done is called. Perhaps ready for
/// nothing: look again. done must not throw. Only on the loop's thread; one wait per direction of a source at a time.
/// @return the wait; cancel() on the loop's thread takes it back, done is then dropped uncalled.
TimerHandle await_ready(EventLoop& loop, io::IoSource& source, io::Interest interest, Deadline deadline,
                        UniqueFunction<void(io::Woken)> done);

/// The same as a Mono, to be subscribed to and cancelled on the loop's thread. source must outlive the subscription.
Mono<io::Woken> ready(EventLoop& loop, io::IoSource& source, io::Interest interest, Deadline deadline);

}  // namespace parkbench::reactive
