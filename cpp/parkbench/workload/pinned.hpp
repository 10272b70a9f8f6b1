#pragma once

#include "parkbench/io/thread_state.hpp"

namespace parkbench::workload {

struct Resources;

/// For its lifetime the calling carrier or loop is held by a blocking call: its state is `pinned`, and the pin is
/// counted in resources.pins. On a pool worker, which is there to be blocked, it does nothing. Nothing may park inside.
class Pinned {
 public:
  explicit Pinned(Resources& resources);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  /// The calling thread is a carrier or a loop.
  static bool would_pin();

 private:
  io::ThreadStateCell* cell_;
};

}  // namespace parkbench::workload
