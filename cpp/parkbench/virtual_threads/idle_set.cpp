#include "parkbench/virtual_threads/idle_set.hpp"

#include <algorithm>
#include <utility>

#include "parkbench/virtual_threads/carrier.hpp"

namespace parkbench::virtual_threads {

void IdleSet::enter(Carrier& self) {
  const std::lock_guard lock(mutex_);
  if (self.searches) searching_.store(false);
  self.searches = false;
  self.is_idle.store(true);
  idle_.push_back(&self);
  count_.store(idle_.size());
}

bool IdleSet::leave(Carrier& self) {
  const std::lock_guard lock(mutex_);
  if (!self.is_idle.load()) return false;
  remove(self);
  return true;
}

Carrier* IdleSet::claim_searcher() {
  if (count_.load() == 0 || searching_.load()) return nullptr;
  const std::lock_guard lock(mutex_);
  if (idle_.empty() || searching_.load()) return nullptr;
  // The one that went to sleep last, its caches are warm; but the poller only if all others are busy.
  const auto sleeper = std::find_if(idle_.rbegin(), idle_.rend(), [](Carrier* c) { return !c->polls(); });
  Carrier& chosen = sleeper != idle_.rend() ? **sleeper : *idle_.back();
  remove(chosen);
  chosen.searches = true;
  searching_.store(true);
  return &chosen;
}

bool IdleSet::claim(Carrier& carrier) {
  if (!carrier.is_idle.load()) return false;
  const std::lock_guard lock(mutex_);
  if (!carrier.is_idle.load()) return false;
  remove(carrier);
  return true;
}

std::vector<Carrier*> IdleSet::claim_all() {
  const std::lock_guard lock(mutex_);
  for (Carrier* carrier : idle_) carrier->is_idle.store(false);
  count_.store(0);
  return std::exchange(idle_, {});
}

void IdleSet::remove(Carrier& carrier) {
  idle_.erase(std::find(idle_.begin(), idle_.end(), &carrier));
  carrier.is_idle.store(false);
  count_.store(idle_.size());
}

}  // namespace parkbench::virtual_threads
