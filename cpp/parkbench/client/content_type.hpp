#pragma once

#include <string_view>

namespace parkbench::client {

/// The same text in static storage, so that an answer can name its type without owning it. The process keeps the first
/// 64 different ones; a server that makes up more gets `application/octet-stream`. Thread-safe, without a lock.
std::string_view kept_content_type(std::string_view text);

}  // namespace parkbench::client
