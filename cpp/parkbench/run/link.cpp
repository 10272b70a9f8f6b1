#include "parkbench/run/link.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "parkbench/run/evidence.hpp"

namespace parkbench::run {
namespace {

constexpr std::size_t kBody = 32 * 1024;  // of a packet: well below the send buffer of a socket (208 KiB)

}  // namespace

std::uint64_t Link::layout() {
  // Sizes change with nearly every change of a structure; the version word is for the others.
  constexpr std::uint64_t kVersion = 2;
  std::uint64_t word = 0x7061726B'00000000U + kVersion;
  for (const std::size_t size : {sizeof(Header), sizeof(Edge), sizeof(Sample), sizeof(ServerFacts), sizeof(Ready)}) {
    word = word * 1'099'511'628'211U + size;
  }
  return word;
}

Link::Link(UniqueFd fd) : fd_(std::move(fd)) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(fd_.get(), SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
    throw Failure(ErrorCode::internal, "the control descriptor is no socket of type SOCK_SEQPACKET");
  }
}

void Link::send(Message message, std::span<const std::byte> body) {
  do {
    const auto part = body.first(std::min(kBody, body.size()));
    body = body.subspan(part.size());
    const Header header{layout(), message, body.empty() ? 0U : 1U};
    std::array<iovec, 2> pieces{
        {{const_cast<Header*>(&header), sizeof header}, {const_cast<std::byte*>(part.data()), part.size()}}};
    msghdr packet{};
    packet.msg_iov = pieces.data();
    packet.msg_iovlen = pieces.size();
    while (sendmsg(fd_.get(), &packet, MSG_NOSIGNAL) < 0) {
      if (errno != EINTR) throw Failure(ErrorCode::internal, "control socket: " + system_error_text(errno));
    }
  } while (!body.empty());
}

std::optional<Link::Frame> Link::receive(const Clock& clock, Deadline deadline) {
  Frame frame{};
  packet_.resize(sizeof(Header) + kBody);
  for (;;) {
    pollfd waiting{fd_.get(), POLLIN, 0};
    const Ns left = deadline.left(clock.now());
    const timespec wait{static_cast<time_t>(left / kSecond), static_cast<long>(left % kSecond)};
    const int ready = ppoll(&waiting, 1, deadline.is_never() ? nullptr : &wait, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) throw Failure(ErrorCode::timeout, "no answer over the control socket");
    const ssize_t n = recv(fd_.get(), packet_.data(), packet_.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    Header header{};
    const auto size = static_cast<std::size_t>(n);
    if (size >= sizeof header) std::memcpy(&header, packet_.data(), sizeof header);
    if (header.layout != layout()) {
      throw Failure(ErrorCode::internal, "the processes of the run are of different builds");
    }
    frame.message = header.message;
    frame.body.insert(frame.body.end(), packet_.begin() + sizeof header, packet_.begin() + n);
    if (header.more == 0) return frame;
  }
}

void Link::shut_down() { shutdown(fd_.get(), SHUT_RDWR); }

}  // namespace parkbench::run
