#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "parkbench/base/deadline.hpp"
#include "parkbench/base/error.hpp"
#include "parkbench/base/unique_fd.hpp"

namespace parkbench::run {

/// What the processes of a run say to each other.
enum class Message : std::uint32_t {
  hello,          // run -> server: are you there?
  ready,          // server -> run: port, memory before the load
  window_opened,  // run -> server, with the time
  window_closed,
  finish,  // run -> server: no further request comes; with the number of answers received
  evidence,
};

/// One end of the socket between a run and the process that serves it: whole messages, in order. Both ends are of the
/// same build, so what is trivially copyable goes over as it lies in memory; every packet says which layout that is.
/// One thread at a time sends, one receives.
class Link {
 public:
  /// @param fd one end of a connected pair of sockets of type SOCK_SEQPACKET.
  /// @throws Failure(internal) when it is none.
  explicit Link(UniqueFd fd);

  struct Frame {
    Message message;
    std::vector<std::byte> body;
  };
  /// @throws Failure(internal) when the other end is gone.
  void send(Message message, std::span<const std::byte> body = {});
  /// The next message; nothing when the other end is gone.
  /// @throws Failure(timeout) when the deadline passes, Failure(internal) when the other end is of another build.
  std::optional<Frame> receive(const Clock& clock, Deadline deadline);
  /// Makes receive() return nothing from now on. Thread-safe.
  void shut_down();
  int fd() const { return fd_.get(); }

 private:
  struct Header {
    std::uint64_t layout;  // of the structures that go over the link
    Message message;
    std::uint32_t more;  // further packets of the same message follow
  };
  static std::uint64_t layout();

  UniqueFd fd_;
  std::vector<std::byte> packet_;
};

/// Puts values behind each other.
class Packer {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  void put(const std::string& text) { put(std::vector<char>(text.begin(), text.end())); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Takes them out again, in the same order.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}

  /// @throws Failure(internal) when there is not as much.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  T take() {
    if (rest_.size() < sizeof(T)) throw Failure(ErrorCode::internal, "a message between processes is too short");
    T value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> take_all() {
    const auto count = take<std::size_t>();
    if (count > rest_.size() / sizeof(T))
      throw Failure(ErrorCode::internal, "a message between processes is too short");
    std::vector<T> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) values.push_back(take<T>());
    return values;
  }
  std::string take_text() {
    const auto characters = take_all<char>();
    return {characters.begin(), characters.end()};
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace parkbench::run
