#pragma once

#include <string>
#include <string_view>

#include "parkbench/measure/phase.hpp"

namespace parkbench::measure {

/// The value of a Server-Timing header: the phases that a server can know and their total, in milliseconds with six
/// decimals, so that each nanosecond comes through: `queue;dur=0.012000, ..., total;dur=0.450000`.
/// @param total from the request's acceptance to its answer.
std::string format_server_timing(const PhaseTrace& trace, Ns total);

/// Reads it back; keys that are unknown, or have no duration, are passed over (a proxy may add its own), missing ones
/// are 0. False, and nothing is changed, when it is malformed or has no total.
bool parse_server_timing(std::string_view text, PhaseTrace& trace, Ns& total);

}  // namespace parkbench::measure
