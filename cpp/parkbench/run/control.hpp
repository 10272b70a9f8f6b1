#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "parkbench/base/thread.hpp"
#include "parkbench/run/evidence.hpp"
#include "parkbench/run/link.hpp"

namespace parkbench::run {

/// What a process beside the run does when the run tells it to; called on the control thread, one at a time.
class Controlled {
 public:
  virtual ~Controlled() = default;
  virtual Ready ready() = 0;
  virtual void window_opened(Ns at) = 0;
  virtual void window_closed() = 0;
  /// @param responses answers that the run has received in all.
  virtual ServerEvidence finish(std::uint64_t responses) = 0;
};

/// Listens to the run over the control socket, on a thread of its own, until the run is done or gone.
class Control {
 public:
  /// @param fd the control socket, owned from now on; negative: there is none, only end() ends it.
  Control(int fd, Controlled& controlled);
  ~Control();

  /// @return true when it is over.
  bool wait(Ns timeout);
  /// Thread-safe: nothing more is listened to, it is over.
  void end();

 private:
  void listen();
  void handle(const Link::Frame& frame);

  Controlled& controlled_;
  std::optional<Link> link_;
  std::mutex mutex_;  // guards over_
  std::condition_variable ended_;
  bool over_ = false;
  Thread thread_;
};

}  // namespace parkbench::run
