#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace parkbench::http {

/// What has been received and not been used yet, in one piece. It grows from 1 KiB by doubling and can be given back.
class ByteBuffer {
 public:
  static constexpr std::size_t kFirst = 1024;

  std::string_view view() const { return {data_.get() + begin_, end_ - begin_}; }
  char* data() { return data_.get() + begin_; }
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  std::size_t capacity() const { return capacity_; }

  /// Room behind the content for at least one byte. Moves the content to the front before it grows.
  /// @param most no use in holding more than so many bytes at once.
  std::span<char> space(std::size_t most);
  /// `bytes` of space() have been filled.
  void added(std::size_t bytes) { end_ += static_cast<std::uint32_t>(bytes); }
  /// Drops the first `bytes`.
  void used(std::size_t bytes);
  /// Drops what lies behind the first `bytes`.
  void shorten(std::size_t bytes) { end_ = begin_ + static_cast<std::uint32_t>(bytes); }
  /// Takes `bytes` out from `at` on; what follows them moves up.
  void cut(std::size_t at, std::size_t bytes);
  /// The unused room behind the content, as it is; nothing grows or moves.
  std::span<char> tail() { return {data_.get() + end_, std::size_t{capacity_} - end_}; }
  /// Gives the memory back; what it holds is gone.
  void release();

 private:
  std::unique_ptr<char[]> data_;
  std::uint32_t capacity_ = 0;  // 4 GiB is out of the question
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace parkbench::http
