#pragma once

#include <cstdint>
#include <string>

namespace parkbench::load {

/// What is asked for over HTTP, and what an answer must be like to count as ok.
struct HttpPlan {
  std::string host = "127.0.0.1";  // an address, IPv4 or IPv6
  std::uint16_t port = 0;
  std::string target = "/";   // `{id}` stands for the product's number
  std::string slow_target{};  // asked for instead by slow_share of the requests, chosen by a hash of their number
  double slow_share = 0;
  std::string headers{};  // further header lines, each with its CRLF

  enum class Check : std::uint8_t {
    status,  // 2xx
    text,    // and the body is `text`
    length,  // and the body has `length` bytes
    price,   // and the body names a `final_price`, which becomes the answer
  };
  Check check = Check::status;
  std::string text{};
  std::size_t length = 0;

  /// Is the body looked at, or only counted?
  bool keeps_body() const { return check == Check::text || check == Check::price; }
};

}  // namespace parkbench::load
