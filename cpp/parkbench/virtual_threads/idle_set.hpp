#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace parkbench::virtual_threads {

class Carrier;

/// The carriers that have nothing to do, and the rule by which they are woken: at most one at a time searches for
/// work; one that finds some lets the next one search.
///
/// Why no wake-up is lost: a starter first pushes under the queue's lock, then looks here. A carrier first enters here
/// (or stops searching), then looks into each queue under its lock. Whichever takes the queue's lock second sees what
/// the other did. A starter that relies on a searcher is safe, since each searcher looks again after it stopped.
class IdleSet {
 public:
  /// The calling carrier goes to sleep; it no longer searches. It must look for work once more after this.
  void enter(Carrier& self);
  /// The calling carrier is awake. False: somebody has taken it out to wake it.
  bool leave(Carrier& self);
  /// The calling carrier has found work. It must look for more work, and if there is some claim_searcher(), after this.
  void stop_searching() { searching_.store(false); }

  /// Takes out a carrier to be woken as the searcher; null when all are busy or one searches already.
  Carrier* claim_searcher();
  /// Takes out this carrier, to be woken for work in its own queue; false when it is not idle.
  bool claim(Carrier& carrier);
  std::vector<Carrier*> claim_all();

 private:
  void remove(Carrier& carrier);

  std::mutex mutex_;  // guards idle_ and the `searches` of carriers in it
  std::vector<Carrier*> idle_;
  std::atomic<std::size_t> count_{0};
  std::atomic<bool> searching_{false};
};

}  // namespace parkbench::virtual_threads
