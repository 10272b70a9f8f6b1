#pragma once

#include <atomic>
#include <cstdint>

#include "parkbench/base/clock.hpp"

namespace parkbench::virtual_threads {

/// Lets one OS thread sleep until another sets the signal; set before the wait, it is kept. The setter touches nothing
/// but the word's address once the word is set, so that the sleeper may destroy the signal as soon as it is awake.
class Signal {
 public:
  void set();
  /// Takes the signal; waits for it at most timeout (negative: for ever). False: not set in that time.
  bool wait(Ns timeout);

 private:
  std::atomic<std::uint32_t> set_{0};
};

}  // namespace parkbench::virtual_threads
