#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "parkbench/measure/request.hpp"

namespace parkbench::load {

/// The generator's requests: storage that is recycled, and the list of those not answered yet in the order of their
/// due times, so that the first is the first to time out.
class Outstanding {
 public:
  /// A fresh request; memory grows only while more are under way than ever before.
  measure::Request& take() {
    if (free_.empty()) {
      slots_.emplace_back();
      return slots_.back();
    }
    Slot* slot = free_.back();
    free_.pop_back();
    return *slot;
  }
  /// Gives a request back that no model holds any more.
  void recycle(measure::Request& request) { free_.push_back(static_cast<Slot*>(&request)); }

  void sent(measure::Request& request) {
    auto& slot = static_cast<Slot&>(request);
    slot.older = newest_;
    slot.newer = nullptr;
    (newest_ != nullptr ? newest_->newer : oldest_) = &slot;
    newest_ = &slot;
    ++size_;
  }
  void remove(measure::Request& request) {
    auto& slot = static_cast<Slot&>(request);
    (slot.older != nullptr ? slot.older->newer : oldest_) = slot.newer;
    (slot.newer != nullptr ? slot.newer->older : newest_) = slot.older;
    --size_;
  }
  measure::Request* oldest() const { return oldest_; }
  std::size_t counted() const {
    std::size_t count = 0;
    for (const Slot* slot = oldest_; slot != nullptr; slot = slot->newer) count += slot->counted ? 1 : 0;
    return count;
  }
  std::size_t size() const { return size_; }

 private:
  struct Slot : measure::Request {
    Slot* older = nullptr;
    Slot* newer = nullptr;
  };
  std::deque<Slot> slots_;
  std::vector<Slot*> free_;
  Slot* oldest_ = nullptr;
  Slot* newest_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace parkbench::load
