#include "parkbench/client/address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "parkbench/base/error.hpp"

namespace parkbench::client {

Address::Address(const std::string& host, std::uint16_t port) {
  auto& four = reinterpret_cast<sockaddr_in&>(storage_);
  auto& six = reinterpret_cast<sockaddr_in6&>(storage_);
  if (inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    size_ = sizeof four;
    text_ = host + ":" + std::to_string(port);
  } else if (inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    size_ = sizeof six;
    text_ = "[" + host + "]:" + std::to_string(port);
  } else {
    throw Failure(ErrorCode::internal, "'" + host + "' is no numeric address; a client of the gateway takes no names");
  }
}

}  // namespace parkbench::client
