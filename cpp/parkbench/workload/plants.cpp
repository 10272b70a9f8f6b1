#include "parkbench/workload/plants.hpp"

#include <new>

#include "parkbench/workload/app_wait.hpp"
#include "parkbench/workload/burn.hpp"
#include "parkbench/workload/pinned.hpp"
#include "parkbench/workload/resources.hpp"

namespace parkbench::workload {
namespace {

using measure::Phase;

/// Sleeps in the kernel, whoever calls.
void hold(Resources& resources, Ns length) {
  io::Waiter& blocking = resources.gateway.pinned_waiter();
  blocking.sleep_until(resources.clock.now() + length, io::WaitReason::app_wait);
}

}  // namespace

void Plants::begin(Resources& resources, measure::Request& request, io::Waiter* waiter) {
  const std::uint64_t number = requests_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (plant_.stall > 0 && number % plant_.stall_every == 0) block(resources, request, waiter, plant_.stall);
  if (plant_.pin > 0) block(resources, request, waiter, plant_.pin);
  if (plant_.lock > 0) lock(resources, request, waiter);
}

void Plants::block(Resources& resources, measure::Request& request, io::Waiter* waiter, Ns length) {
  if (waiter != nullptr && !Pinned::would_pin()) return app_wait(*waiter, length, request.trace);
  const Pinned pinned(resources, PinSection::blocking_call);
  hold(resources, length);
}

void Plants::lock(Resources& resources, measure::Request& request, io::Waiter* waiter) {
  measure::PhaseTrace& trace = request.trace;
  trace.turn(Phase::app_wait, resources.clock.now());
  resources.lock_waiting.fetch_add(1, std::memory_order_relaxed);
  Ns running = 0;
  if (waiter != nullptr && !Pinned::would_pin()) {
    const io::Woken woken = lock_.lock(*waiter, Deadline::never());
    resources.lock_waiting.fetch_sub(1, std::memory_order_relaxed);
    if (woken.running != 0) {
      trace.end(woken.told);
      trace.add(Phase::wakeup, woken.told, woken.running);
      trace.begin(Phase::app_wait, woken.running);
    }
    running = waiter->sleep_until(resources.clock.now() + plant_.lock, io::WaitReason::app_wait).running;
    lock_.unlock();
  } else {
    const Pinned pinned(resources, PinSection::lock);
    const std::lock_guard held(kernel_lock_);
    resources.lock_waiting.fetch_sub(1, std::memory_order_relaxed);
    hold(resources, plant_.lock);
    running = resources.clock.now();
  }
  trace.turn(Phase::cpu, running);
}

RequestMemory Plants::memory(std::uint32_t kib) {
  if (plant_.memory <= 0) return {touched_memory(kib), nullptr};
  const std::int64_t wanted = std::int64_t{kib} * 1024;
  if (memory_.fetch_add(wanted, std::memory_order_relaxed) + wanted > plant_.memory) {
    memory_.fetch_sub(wanted, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
  try {
    return {touched_memory(kib), &memory_};
  } catch (...) {
    memory_.fetch_sub(wanted, std::memory_order_relaxed);
    throw;
  }
}

std::optional<pricing::Quote> Plants::cached(std::uint32_t product) {
  if (!plant_.hidden_cache) return std::nullopt;
  const std::lock_guard lock(cache_mutex_);
  const auto found = cache_.find(product);
  if (found == cache_.end()) return std::nullopt;
  return found->second;
}

pricing::Quote Plants::planted(std::uint32_t product, pricing::Quote quote) {
  if (plant_.constant_price > 0) quote.final_minor = plant_.constant_price;
  if (plant_.hidden_cache) {
    const std::lock_guard lock(cache_mutex_);
    cache_.emplace(product, quote);
  }
  return quote;
}

}  // namespace parkbench::workload
