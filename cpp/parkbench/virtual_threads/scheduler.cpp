#include "parkbench/virtual_threads/scheduler.hpp"

#include <algorithm>

#include "parkbench/base/error.hpp"

namespace parkbench::virtual_threads {
namespace {

std::size_t checked_carriers(const SchedulerOptions& options) {
  if (options.carriers < 1) throw Failure(ErrorCode::internal, "a scheduler needs at least one carrier");
  return static_cast<std::size_t>(options.carriers);
}

void run_function(void* argument) {
  const std::unique_ptr<UniqueFunction<void()>> body(static_cast<UniqueFunction<void()>*>(argument));
  (*body)();
}

}  // namespace

Scheduler::Scheduler(SchedulerOptions options)
    : options_(std::move(options)),
      poller_(*options_.clock),
      timers_(poller_),
      store_(*this, options_.stack_bytes),
      cells_(checked_carriers(options_)),
      gauges_(cells_.size()),
      ready_(static_cast<std::ptrdiff_t>(cells_.size())) {
  for (std::uint32_t i = 0; i < cells_.size(); ++i) carriers_.push_back(std::make_unique<Carrier>(*this, i));
  threads_.reserve(carriers_.size());
  try {
    for (auto& carrier : carriers_) {
      threads_.emplace_back(options_.name + "-" + std::to_string(carrier->index()), [&c = *carrier] { c.run(); });
    }
  } catch (...) {  // no thread to be had: end those that run
    stop();
    throw;
  }
  ready_.wait();
}

Scheduler::~Scheduler() { stop(); }

void Scheduler::start(void (*entry)(void*), void* argument) {
  Carrier* here = this_carrier();
  if (here == nullptr || &here->scheduler() != this) {
    here = carriers_[next_carrier_.fetch_add(1, std::memory_order_relaxed) % carriers_.size()].get();
  }
  here->count_started(1);
  here->queue().push({entry, argument});
  wake_for_work_of(*here);
}

void Scheduler::start_all(void (*entry)(void*), std::span<void* const> arguments) {
  std::size_t carriers_left = carriers_.size();
  // Begins one further each time, so that small batches do not always meet the same carrier.
  std::uint32_t turn = next_carrier_.fetch_add(1, std::memory_order_relaxed);
  for (; !arguments.empty(); --carriers_left, ++turn) {
    Carrier& carrier = *carriers_[turn % carriers_.size()];
    const auto share = arguments.first((arguments.size() + carriers_left - 1) / carriers_left);
    carrier.count_started(static_cast<std::int64_t>(share.size()));
    carrier.queue().push(entry, share);
    wake_for_work_of(carrier);
    arguments = arguments.subspan(share.size());
  }
}

void Scheduler::start(UniqueFunction<void()> body) {
  start(&run_function, std::make_unique<UniqueFunction<void()>>(std::move(body)).release());
}

void Scheduler::stop() {
  stopping_.store(true);
  wake_all();
  for (Thread& thread : threads_) thread.join();
}

std::int64_t Scheduler::live() const {
  // Finished first: then 0 means that there was a moment when nothing lived.
  std::int64_t live = 0;
  for (const auto& carrier : carriers_) live -= carrier->finished();
  for (const auto& carrier : carriers_) live += carrier->started();
  return live;
}

std::uint64_t Scheduler::steals_of_started() const {
  std::uint64_t sum = 0;
  for (const auto& carrier : carriers_) sum += carrier->steals_of_started();
  return sum;
}

std::string Scheduler::last_uncaught() const {
  const std::lock_guard lock(uncaught_mutex_);
  return last_uncaught_;
}

void Scheduler::enqueue(VirtualThread& thread) {
  Carrier* here = this_carrier();
  const bool mine = here != nullptr && &here->scheduler() == this;
  if (mine && stealing() == Stealing::started) {
    const std::size_t waiting = here->queue().push(Runnable::started(thread));
    // The loop itself (poller, timers) runs a single one next: a wake-up costs 20 us on another core.
    if (waiting > 1 || here->running() != nullptr) wake_searcher();
    return;
  }
  Carrier& home = *carriers_[thread.home()];
  home.queue().push(Runnable::started(thread));
  if (&home != here) wake_for_work_of(home);
}

void Scheduler::wake_for_work_of(Carrier& carrier) {
  if (idle_.claim(carrier)) {
    carrier.wake();
  } else if (stealing() != Stealing::off) {
    wake_searcher();
  }
}

void Scheduler::wake_searcher() {
  if (stealing() == Stealing::off) return;
  if (Carrier* searcher = idle_.claim_searcher()) searcher->wake();
}

void Scheduler::wake_all() {
  for (Carrier* carrier : idle_.claim_all()) carrier->wake();
}

void Scheduler::carrier_ready(const Carrier& carrier, int thread_id) {
  cells_[carrier.index()].thread_id.store(thread_id, std::memory_order_relaxed);
  ready_.count_down();
}

bool Scheduler::has_work_for(Carrier& carrier) {
  if (carrier.queue().has(RunQueue::Take::any)) return true;
  if (stealing() == Stealing::off) return false;
  return std::any_of(carriers_.begin(), carriers_.end(),
                     [&](auto& other) { return other.get() != &carrier && other->queue().has(stealable()); });
}

void Scheduler::poll_if_nobody_does() {
  if (!begin_polling()) return;
  poller_.poll(0);
  poll_epoch_.fetch_add(1, std::memory_order_relaxed);
  end_polling();
}

void Scheduler::poll_until_timer() {
  const Deadline until = Deadline::at(timers_.begin_wait());
  poller_.poll(until.is_never() ? -1 : until.left(clock().now()));
  timers_.end_wait();
  poll_epoch_.fetch_add(1, std::memory_order_relaxed);
}

VirtualThread* Scheduler::more_free(std::size_t& count) {
  try {
    return store_.take(count);
  } catch (const std::exception& error) {
    report(error.what());
    return nullptr;
  }
}

void Scheduler::caught_at_the_end() {
  try {
    throw;
  } catch (const std::exception& error) {
    report(error.what());
  } catch (...) {
    report("an exception that is no std::exception");
  }
}

void Scheduler::report(const std::string& text) {
  {
    const std::lock_guard lock(uncaught_mutex_);
    last_uncaught_ = text;
  }
  uncaught_count_.fetch_add(1, std::memory_order_release);
  try {
    if (options_.uncaught) options_.uncaught(text);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a hook's own failure must not end the process
  }
}

}  // namespace parkbench::virtual_threads
