#include "parkbench/http/outbox.hpp"

namespace parkbench::http {

char* Outbox::room(std::size_t bytes, std::span<char> lent) {
  if (bytes <= lent.size()) return lent.data();
  own_.resize(bytes);
  return own_.data();
}

void Outbox::append(std::string_view text) {
  if (!is_own() || size_ == 0) {
    own_.assign(data_, size_);
  } else {
    own_.resize(static_cast<std::size_t>(data_ - own_.data()) + size_);
    // What has gone is cut off once it is the larger part, so that a stream never holds more than twice its backlog.
    if (own_.size() > 2 * size_) own_.erase(0, own_.size() - size_);
  }
  own_.append(text);
  size_ += text.size();
  data_ = own_.data() + (own_.size() - size_);
}

}  // namespace parkbench::http
