#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace parkbench::http {

/// Bytes on their way out: a text of static storage, a piece of memory lent by the caller, or a string of its own.
class Outbox {
 public:
  std::string_view pending() const { return {data_, size_}; }
  bool empty() const { return size_ == 0; }

  /// While empty: sends a text that stays where it is.
  void send(std::string_view text) {
    data_ = text.data();
    size_ = text.size();
  }
  /// While empty: room for `bytes`, in `lent` if they fit in there; send() follows.
  char* room(std::size_t bytes, std::span<char> lent);
  void append(std::string_view text);
  void written(std::size_t bytes) {
    data_ += bytes;
    size_ -= bytes;
  }
  void clear() { size_ = 0; }
  /// While empty: gives its memory back.
  void release() {
    if (own_.capacity() > sizeof own_) std::string().swap(own_);
  }

 private:
  bool is_own() const { return data_ >= own_.data() && data_ <= own_.data() + own_.size(); }

  const char* data_ = "";
  std::size_t size_ = 0;
  std::string own_;
};

}  // namespace parkbench::http
