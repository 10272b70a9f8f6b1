#pragma once

#include <atomic>
#include <cstdint>

#include "parkbench/io/waiter.hpp"

namespace parkbench::io {

/// What an OS thread of a model does right now; written by the thread itself, read by the sampler.
enum class ThreadState : std::uint8_t { idle, on_cpu, on_io, on_connection, on_app_wait, pinned };
inline constexpr std::size_t kThreadStates = 6;

constexpr ThreadState blocked_on(WaitReason reason) {
  return static_cast<ThreadState>(static_cast<std::uint8_t>(ThreadState::on_io) + static_cast<std::uint8_t>(reason));
}

/// One per thread, on a cache line of its own.
struct alignas(64) ThreadStateCell {
  std::atomic<ThreadState> state{ThreadState::idle};
  std::atomic<int> thread_id{0};

  void set(ThreadState s) { state.store(s, std::memory_order_relaxed); }
};

}  // namespace parkbench::io
