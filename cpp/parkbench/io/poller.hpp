#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "parkbench/base/clock.hpp"
#include "parkbench/base/unique_fd.hpp"
#include "parkbench/io/interest.hpp"

namespace parkbench::io {

/// Whoever waits for a descriptor. Called once per wait, on the thread that polls.
class ReadyWaiter {
 public:
  /// @param told when the poller learnt of it.
  virtual void on_ready(Ns told) = 0;

 protected:
  ~ReadyWaiter() = default;
};

/// One descriptor's readiness, remembered between the edge and the wait (edge-triggered, registered once).
///
/// Per direction one word: idle, ready (an edge came and nobody waited) or the waiter. At most one waiter per
/// direction.
class Watch {
 public:
  /// Waits for interest. True: it was ready already, the readiness is consumed and waiter will not be called.
  bool wait(Interest interest, ReadyWaiter& waiter);
  /// Takes the waiter back. False: on_ready has been or is being called, the caller must wait for it.
  bool cancel(Interest interest, ReadyWaiter& waiter);
  /// Ends a wait as an edge would, or the next one if there is none now. From any thread; after the removal it may end
  /// a wait of the slot's next user, for no reason.
  void nudge(Interest interest, Ns told) { deliver(interest, told); }
  /// The peer has finished sending, or the connection broke. Stays: when that was told together with data, no further
  /// edge comes, so whoever has read the data must read again instead of waiting.
  bool hung_up() const { return hung_up_.load(std::memory_order_acquire); }
  int fd() const { return fd_; }

 private:
  friend class Poller;
  static constexpr std::uintptr_t kIdle = 0;
  static constexpr std::uintptr_t kReady = 1;
  void deliver(Interest interest, Ns told);

  int fd_ = -1;
  std::uint32_t slot_ = 0;
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<bool> hung_up_{false};
  std::array<std::atomic<std::uintptr_t>, 2> state_{};
};

/// epoll with one registration per descriptor and an eventfd to interrupt the wait. add, remove and wake are
/// thread-safe; poll is for one thread at a time.
class Poller {
 public:
  explicit Poller(const Clock& clock);

  Watch& add(int fd);
  /// Stops watching; the descriptor is still open. A late event for it is recognised and dropped.
  void remove(Watch& watch);

  /// Waits at most timeout (0: not at all, negative: for ever) and calls the waiters that are ready.
  /// @return number of events handled, the wake-up not counted.
  int poll(Ns timeout);
  /// Makes a poll in progress, or the next one, return at once.
  void wake();
  /// The epoll descriptor: readable while poll(0) would find something.
  int fd() const { return epoll_.get(); }

 private:
  const Clock& clock_;
  UniqueFd epoll_;
  UniqueFd wake_;
  std::mutex mutex_;         // guards slots_ and free_
  std::deque<Watch> slots_;  // never shrinks: a late event may still name a slot
  std::vector<std::uint32_t> free_;
};

/// A descriptor as request code sees it: it moves to the poller of whoever uses it now (a pooled connection goes
/// from loop to loop). Used by its current holder only.
class IoSource {
 public:
  IoSource() = default;
  explicit IoSource(int fd) : fd_(fd) {}
  IoSource(const IoSource&) = delete;
  IoSource& operator=(const IoSource&) = delete;
  ~IoSource() { detach(); }

  int fd() const { return fd_; }
  /// Takes a new descriptor; call detach() before the old one is closed.
  void reset(int fd);
  /// The watch of this descriptor at poller; registers it there if it was elsewhere.
  Watch& watch_at(Poller& poller);
  void detach();
  /// As its watch says; false while it is watched nowhere.
  bool hung_up() const { return watch_ != nullptr && watch_->hung_up(); }

 private:
  int fd_ = -1;
  Poller* poller_ = nullptr;
  Watch* watch_ = nullptr;
};

}  // namespace parkbench::io
