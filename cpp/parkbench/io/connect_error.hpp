#pragma once

#include "parkbench/base/error.hpp"

namespace parkbench::io {

/// What a connect that ended with this errno value is called: address_unavailable (no local port is left),
/// connect_timeout, out_of_memory (descriptors included), connect_refused for all else.
ErrorCode connect_error(int error_number);

}  // namespace parkbench::io
