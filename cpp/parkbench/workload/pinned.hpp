#pragma once

#include "parkbench/base/clock.hpp"
#include "parkbench/io/thread_state.hpp"
#include "parkbench/workload/pin_section.hpp"

namespace parkbench::workload {

struct Resources;

/// For its lifetime the calling carrier or loop is held by a blocking call: its state is `pinned`, and the pin is
/// counted in resources.pins, its length by section. On a pool worker, which is there to be blocked, it does nothing.
/// Nothing may park inside.
class Pinned {
 public:
  Pinned(Resources& resources, PinSection section);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  /// The calling thread is a carrier or a loop.
  static bool would_pin();

 private:
  Resources& resources_;
  const PinSection section_;
  io::ThreadStateCell* cell_;
  Ns begun_ = 0;
};

}  // namespace parkbench::workload
