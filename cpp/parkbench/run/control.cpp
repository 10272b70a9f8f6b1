#include "parkbench/run/control.hpp"

#include <chrono>

namespace parkbench::run {

Control::Control(int fd, Controlled& controlled) : controlled_(controlled) {
  if (fd < 0) return;
  link_.emplace(UniqueFd(fd));
  thread_ = Thread("control", [this] { listen(); });
}

Control::~Control() {
  if (link_) link_->shut_down();
  thread_.join();
}

bool Control::wait(Ns timeout) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, std::chrono::nanoseconds(timeout), [this] { return over_; });
}

void Control::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
}

void Control::listen() {
  try {
    while (const auto frame = link_->receive(SteadyClock::instance(), Deadline::never())) handle(*frame);
  } catch (const Failure&) {
    // Of another build, or gone in the middle of an answer: either way there is nobody to tell.
  }
  end();
}

void Control::handle(const Link::Frame& frame) {
  Unpacker unpacker(frame.body);
  Packer answer;
  switch (frame.message) {
    case Message::hello:
      answer.put(controlled_.ready());
      link_->send(Message::ready, answer.bytes());
      return;
    case Message::window_opened:
      controlled_.window_opened(unpacker.take<Ns>());
      return;
    case Message::window_closed:
      controlled_.window_closed();
      return;
    case Message::finish:
      link_->send(Message::evidence, controlled_.finish(unpacker.take<std::uint64_t>()).packed());
      return;
    case Message::ready:
    case Message::evidence:
      return;  // ours to say
  }
}

}  // namespace parkbench::run
