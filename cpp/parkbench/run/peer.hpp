#pragma once

#include <string>

#include "parkbench/run/evidence.hpp"
#include "parkbench/run/link.hpp"

namespace parkbench::run {

/// A process that serves, as the run sees it.
class Peer {
 public:
  /// @param name stands in sentences, as `server process`. @param fd its control socket, owned from now on.
  Peer(std::string name, int fd) : name_(std::move(name)), link_(UniqueFd(fd)) {}

  /// All of them: @throws Failure(none) with one sentence when the process is gone, Failure(timeout) when it is silent.
  Ready hello();
  void window_opened(Ns at);
  void window_closed();
  ServerEvidence finish(std::uint64_t responses);

  /// What is said of it when it is gone.
  std::string gone() const { return name_ + " ended"; }
  int fd() const { return link_.fd(); }

 private:
  static constexpr Ns kAnswerWithin = 15 * kSecond;
  Link::Frame ask(Message question, std::span<const std::byte> body, Message expected);
  void tell(Message message, std::span<const std::byte> body);

  std::string name_;
  Link link_;
};

}  // namespace parkbench::run
