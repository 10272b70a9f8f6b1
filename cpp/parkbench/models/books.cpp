#include "parkbench/models/books.hpp"

#include <algorithm>

#include "parkbench/base/parker.hpp"

namespace parkbench::models {
namespace {

// Never inlined: a virtual thread may move to another carrier, and an address of a thread_local kept in a register
// across a park would be the old carrier's.
[[gnu::noinline]] std::size_t thread_number() {
  static std::atomic<std::size_t> next{0};
  constinit thread_local std::atomic<std::size_t> number{0};  // 0: none yet; shared by the virtual threads of a carrier
  std::size_t mine = number.load(std::memory_order_relaxed);
  if (mine == 0) {
    mine = next.fetch_add(1, std::memory_order_relaxed) + 1;
    number.store(mine, std::memory_order_relaxed);
  }
  return mine;
}

}  // namespace

Books::Shard& Books::mine() { return shards_[thread_number() % kShards]; }

bool Books::accept(measure::Request& request, Ns at) {
  if (limit_ && held() >= *limit_) return false;
  request.accepted = at;
  // Only the generator's thread accepts: a load and a store, no locked instruction.
  accepted_.store(accepted_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (request.counted) {
    accepted_counted_.store(accepted_counted_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  return true;
}

bool Books::accept_from_any(measure::Request& request, Ns at) {
  if (limit_ && admitted_.fetch_add(1, std::memory_order_relaxed) >= *limit_) {
    admitted_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  request.accepted = at;
  mine().accepted.fetch_add(1, std::memory_order_relaxed);
  if (request.counted) accepted_counted_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Books::answer(measure::Request& request) {
  if (limit_) admitted_.fetch_sub(1, std::memory_order_relaxed);
  Shard& shard = mine();
  shard.answered.fetch_add(1, std::memory_order_relaxed);
  if (request.counted) shard.answered_counted.fetch_add(1, std::memory_order_relaxed);
  if (to_drop_.load(std::memory_order_relaxed) > 0 && request.counted && to_drop_.fetch_sub(1) > 0) return;
  sink_.answer(request);
}

void Books::refuse(measure::Request& request, Ns at) {
  request.fail(ErrorCode::rejected);
  request.accepted = at;
  request.answer_ready = at;
  sink_.answer(request);
}

std::int64_t Books::accepted() const {
  std::int64_t accepted = accepted_.load(std::memory_order_relaxed);
  for (const Shard& shard : shards_) accepted += shard.accepted.load(std::memory_order_relaxed);
  return accepted;
}

std::int64_t Books::held() const {
  std::int64_t answered = 0;
  for (const Shard& shard : shards_) answered += shard.answered.load(std::memory_order_relaxed);
  return accepted() - answered;
}

void Books::wait_until_empty(const Clock& clock) const {
  Parker parker;
  while (held() > 0) parker.park(clock, Deadline::at(clock.now() + kMillisecond));
}

void Books::report(Counters& counters) const {
  std::int64_t begun = 0;
  for (const Shard& shard : shards_) {
    begun += shard.begun.load(std::memory_order_relaxed);
    counters.answered_counted += shard.answered_counted.load(std::memory_order_relaxed);
  }
  counters.queued = std::max<std::int64_t>(0, accepted() - begun);
  counters.held = held();
  counters.accepted_counted = accepted_counted_.load(std::memory_order_relaxed);
}

}  // namespace parkbench::models
