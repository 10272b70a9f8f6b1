#include "parkbench/reactive/virtual_timers.hpp"

#include <algorithm>
#include <limits>

namespace parkbench::reactive {

struct VirtualTimers::Entry final : Node<Subscription>, TimerNode {
  Entry(VirtualTimers& timers, UniqueFunction<void()> f) : timers_(timers), f_(std::move(f)) {}

  void request(std::int64_t) noexcept override {}
  void cancel() noexcept override {
    UniqueFunction<void()> dropped;  // what it holds may cancel other timers: not under the lock
    {
      const std::lock_guard lock(timers_.mutex_);
      if (!timers_.queue_.cancel(*this)) return;
      dropped = std::move(f_);
    }
    release();
  }

  VirtualTimers& timers_;
  UniqueFunction<void()> f_;
};

VirtualTimers::~VirtualTimers() {
  while (const auto entry = pop(std::numeric_limits<Ns>::max())) {
    const auto dropped = std::move(entry->f_);
  }
}

TimerHandle VirtualTimers::schedule_at(Ns due, UniqueFunction<void()> f) {
  auto entry = make_ref<Entry>(*this, std::move(f));
  const std::lock_guard lock(mutex_);
  queue_.arm(*Ref<Entry>(entry).leak(), due);
  return TimerHandle(std::move(entry));
}

void VirtualTimers::advance_to(Ns to) {
  while (const auto entry = pop(to)) {
    clock_.set(std::max(clock_.now(), entry->due));
    auto f = std::move(entry->f_);
    f();
  }
  clock_.set(std::max(clock_.now(), to));
}

std::size_t VirtualTimers::pending() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

Ref<VirtualTimers::Entry> VirtualTimers::pop(Ns until) {
  const std::lock_guard lock(mutex_);
  return Ref<Entry>::adopt(static_cast<Entry*>(queue_.pop_due(until)));
}

}  // namespace parkbench::reactive
