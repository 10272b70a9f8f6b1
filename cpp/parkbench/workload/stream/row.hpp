#pragma once

#include <cstdint>
#include <string>

namespace parkbench::workload::stream {

/// One server-sent event, about 100 bytes: `id: 7\ndata: {"row":7,"text":"..."}\n\n`. Row numbers begin at 1.
std::string row_text(std::uint32_t row);

}  // namespace parkbench::workload::stream
