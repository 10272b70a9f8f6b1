#include "parkbench/run/peer.hpp"

namespace parkbench::run {

Ready Peer::hello() {
  const Link::Frame frame = ask(Message::hello, {}, Message::ready);
  return Unpacker(frame.body).take<Ready>();
}

void Peer::window_opened(Ns at) {
  Packer packer;
  packer.put(at);
  tell(Message::window_opened, packer.bytes());
}

void Peer::window_closed() { tell(Message::window_closed, {}); }

ServerEvidence Peer::finish(std::uint64_t responses) {
  Packer packer;
  packer.put(responses);
  return ServerEvidence::unpacked(ask(Message::finish, packer.bytes(), Message::evidence).body);
}

Link::Frame Peer::ask(Message question, std::span<const std::byte> body, Message expected) {
  tell(question, body);
  const Clock& clock = SteadyClock::instance();
  const Deadline deadline = Deadline::at(clock.now() + kAnswerWithin);
  std::optional<Link::Frame> frame;
  try {
    frame = link_.receive(clock, deadline);
  } catch (const Failure& failure) {
    throw Failure(failure.code(), name_ + ": " + failure.what());
  }
  if (!frame) throw Failure(ErrorCode::none, gone());
  if (frame->message != expected) throw Failure(ErrorCode::internal, name_ + " said something unexpected");
  return std::move(*frame);
}

void Peer::tell(Message message, std::span<const std::byte> body) {
  try {
    link_.send(message, body);
  } catch (const Failure&) {
    throw Failure(ErrorCode::none, gone());  // all that a send can fail of
  }
}

}  // namespace parkbench::run
