#include "parkbench/base/error.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace parkbench {

namespace {

constexpr std::array<std::string_view, kErrorCodes> kNames = {"none",
                                                              "rejected",
                                                              "timeout",
                                                              "pool_timeout",
                                                              "cancelled",
                                                              "db_connect",
                                                              "db_connection_lost",
                                                              "db_error",
                                                              "not_found",
                                                              "wrong_answer",
                                                              "out_of_memory",
                                                              "internal",
                                                              "connect_refused",
                                                              "connect_timeout",
                                                              "address_unavailable",
                                                              "closed_before_response",
                                                              "stale_connection",
                                                              "reset_headers",
                                                              "reset_body",
                                                              "truncated",
                                                              "protocol_error",
                                                              "header_too_large",
                                                              "body_too_large",
                                                              "status_3xx",
                                                              "status_4xx",
                                                              "status_5xx",
                                                              "bulkhead_full",
                                                              "circuit_open",
                                                              "downstream_timeout",
                                                              "downstream_failed"};

}  // namespace

std::string_view to_string(ErrorCode code) { return kNames.at(static_cast<std::size_t>(code)); }

ErrorCode error_code(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? ErrorCode::none : static_cast<ErrorCode>(found - kNames.begin());
}

std::string system_error_text(int error_number) { return std::generic_category().message(error_number); }

}  // namespace parkbench
