#pragma once

#include <atomic>
#include <cstdint>

namespace parkbench::reactive {

/// Decides who may signal when one value, demand for it, and ends of all kinds can meet on different threads.
///
/// States: open; requested (demand came first); valued (the value came first and is stored); then for ever ended.
/// Whoever is told true owns the subscriber and the stored value, alone.
class ScalarGate {
 public:
  enum class Start : std::uint8_t { open = 0, valued = 2 };
  explicit ScalarGate(Start start = Start::open) : bits_(static_cast<std::uint8_t>(start)) {}

  /// Demand has come. True: a value waits, deliver it now.
  bool request() {
    std::uint8_t seen = bits_.load(std::memory_order_acquire);
    while ((seen & (kEnded | kRequested)) == 0) {
      const bool valued = (seen & kValued) != 0;
      const auto next = static_cast<std::uint8_t>(seen | (valued ? kEnded : kRequested));
      if (bits_.compare_exchange_weak(seen, next, std::memory_order_acq_rel)) return valued;
    }
    return false;
  }
  /// A value is at hand. True: it may be delivered now. False: store it, then call stored().
  bool deliver() {
    std::uint8_t seen = bits_.load(std::memory_order_acquire);
    while ((seen & kEnded) == 0 && (seen & kRequested) != 0) {
      if (bits_.compare_exchange_weak(seen, seen | kEnded, std::memory_order_acq_rel)) return true;
    }
    return false;
  }
  enum class Stored : std::uint8_t { kept, deliver, refused };
  /// The value is stored. kept: whoever asks delivers it. deliver: demand came meanwhile. refused: all is over, drop
  /// it.
  Stored stored() {
    std::uint8_t seen = bits_.load(std::memory_order_acquire);
    while ((seen & kEnded) == 0) {
      const bool requested = (seen & kRequested) != 0;
      const auto next = static_cast<std::uint8_t>(seen | (requested ? kEnded : kValued));
      if (bits_.compare_exchange_weak(seen, next, std::memory_order_acq_rel)) {
        return requested ? Stored::deliver : Stored::kept;
      }
    }
    return Stored::refused;
  }
  /// Ends without the value: cancel, error, empty completion. True for the first.
  bool end() { return (bits_.fetch_or(kEnded, std::memory_order_acq_rel) & kEnded) == 0; }

  bool has_value() const { return (bits_.load(std::memory_order_acquire) & kValued) != 0; }
  bool ended() const { return (bits_.load(std::memory_order_acquire) & kEnded) != 0; }

 private:
  static constexpr std::uint8_t kRequested = 1;
  static constexpr std::uint8_t kValued = 2;
  static constexpr std::uint8_t kEnded = 4;
  std::atomic<std::uint8_t> bits_;
};

}  // namespace parkbench::reactive
