#include "parkbench/reactive/loop_group.hpp"

#include <stdexcept>

namespace parkbench::reactive {

LoopGroup::LoopGroup(std::size_t loops, const EventLoopOptions& options) {
  if (loops == 0) throw std::invalid_argument("loops must be at least 1");
  for (std::size_t i = 0; i < loops; ++i) {
    EventLoopOptions own = options;
    own.name += "-" + std::to_string(i);
    loops_.push_back(std::make_unique<EventLoop>(own));
  }
}

void LoopGroup::start() {
  for (const auto& loop : loops_) loop->start();
}

void LoopGroup::stop() {
  for (const auto& loop : loops_) loop->stop();
}

}  // namespace parkbench::reactive
