#include "parkbench/http/byte_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace parkbench::http {

std::span<char> ByteBuffer::space(std::size_t most) {
  const std::size_t content = size();
  if (begin_ > 0 && end_ == capacity_) {
    std::memmove(data_.get(), data_.get() + begin_, content);
    begin_ = 0;
    end_ = static_cast<std::uint32_t>(content);
  }
  if (end_ == capacity_) {
    const std::size_t wanted = std::max({kFirst, content + 1, std::min<std::size_t>(std::size_t{capacity_} * 2, most)});
    auto larger = std::make_unique_for_overwrite<char[]>(wanted);
    if (content > 0) std::memcpy(larger.get(), data_.get(), content);
    data_ = std::move(larger);
    capacity_ = static_cast<std::uint32_t>(wanted);
  }
  return tail();
}

void ByteBuffer::used(std::size_t bytes) {
  begin_ += static_cast<std::uint32_t>(bytes);
  if (begin_ == end_) begin_ = end_ = 0;
}

void ByteBuffer::cut(std::size_t at, std::size_t bytes) {
  const std::size_t behind = size() - at - bytes;
  if (bytes > 0 && behind > 0) std::memmove(data() + at, data() + at + bytes, behind);
  end_ -= static_cast<std::uint32_t>(bytes);
}

void ByteBuffer::release() {
  data_.reset();
  capacity_ = begin_ = end_ = 0;
}

}  // namespace parkbench::http
