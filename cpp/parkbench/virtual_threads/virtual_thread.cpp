#include "parkbench/virtual_threads/virtual_thread.hpp"

#include "parkbench/base/error.hpp"
#include "parkbench/virtual_threads/carrier.hpp"
#include "parkbench/virtual_threads/sanitizers.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"

namespace parkbench::virtual_threads {
namespace {

VirtualThread& current_or_refuse(const char* what) {
  VirtualThread* self = current();
  if (self == nullptr) throw Failure(ErrorCode::internal, std::string(what) + " is for virtual threads only");
  return *self;
}

}  // namespace

void VirtualThread::begin(void (*entry)(void*), void* argument) {
  entry_.store(entry, std::memory_order_relaxed);
  argument_.store(argument, std::memory_order_relaxed);
  thread_state_ = {};
  park_state_.store(ParkState::running, std::memory_order_relaxed);  // a late permit for the last one ends here
  // A used stack waits inside main() for the next entry, except under ASan, where each virtual thread is a fiber that
  // dies (so that its fake stack is freed).
  if (prepared_ && !PARKBENCH_ASAN) return;
  prepared_ = true;
  context_.prepare(stack_.low, stack_.bytes, &VirtualThread::main, this);
}

VirtualThread::Leave VirtualThread::run(Context& carrier, const ThreadStatePlace& place) {
  place.install(thread_state_);
  baton_.store(1, std::memory_order_release);
  carrier.switch_to(context_);
  place.remove_to(thread_state_);
  return leave_.load(std::memory_order_relaxed);
}

bool VirtualThread::publish_parked() {
  ParkState expected = ParkState::running;
  return park_state_.compare_exchange_strong(expected, ParkState::parked, std::memory_order_acq_rel);
}

bool VirtualThread::notify_if_parked() {
  ParkState expected = ParkState::parked;
  return park_state_.compare_exchange_strong(expected, ParkState::notified, std::memory_order_acq_rel);
}

bool VirtualThread::take_permit() {
  ParkState expected = ParkState::notified;
  return park_state_.compare_exchange_strong(expected, ParkState::running, std::memory_order_acq_rel);
}

void VirtualThread::leave(Leave why, Deadline wake_at) {
  leave_.store(why, std::memory_order_relaxed);
  wake_at_.store(wake_at.when(), std::memory_order_relaxed);
  context_.switch_to(this_carrier()->context());
  baton_.load(std::memory_order_acquire);
}

void VirtualThread::finish() {
  leave_.store(Leave::finish, std::memory_order_relaxed);
  Carrier& carrier = *this_carrier();
  // Whoever sees this count sees all that the thread did. So it comes last: once the last thread is counted the
  // scheduler may be taken down, as soon as the carriers' loops have ended.
  carrier.count_finished();
  context_.switch_to(carrier.context(), PARKBENCH_ASAN ? Context::Fate::dies : Context::Fate::comes_back);
  baton_.load(std::memory_order_acquire);
}

void VirtualThread::main(void* self) {
  auto& thread = *static_cast<VirtualThread*>(self);
  thread.context_.arrived();
  thread.baton_.load(std::memory_order_acquire);
  for (;;) {
    try {
      thread.entry_.load(std::memory_order_relaxed)(thread.argument_.load(std::memory_order_relaxed));
    } catch (...) {
      thread.scheduler_.caught_at_the_end();
    }
    thread.finish();
  }
}

bool park(Deadline deadline) {
  VirtualThread& self = current_or_refuse("park");
  if (self.take_permit()) return false;
  if (!deadline.is_never() && deadline.passed(self.scheduler().clock().now())) return true;
  self.leave(VirtualThread::Leave::park, deadline);
  self.resume();
  return !deadline.is_never() && self.scheduler().timers().end_park(self);
}

void unpark(VirtualThread& thread) {
  if (thread.notify()) thread.scheduler().enqueue(thread);
}

void yield() {
  if (VirtualThread* self = current()) self->leave(VirtualThread::Leave::yield);
}

void sleep_until(Ns when) {
  VirtualThread& self = current_or_refuse("sleep_until");
  if (when > self.scheduler().clock().now()) self.leave(VirtualThread::Leave::sleep, Deadline::at(when));
}

}  // namespace parkbench::virtual_threads
