#include "parkbench/workload/stream/row.hpp"

namespace parkbench::workload::stream {

std::string row_text(std::uint32_t row) {
  const std::string number = std::to_string(row);
  std::string text;
  text.reserve(112);
  text.append("id: ").append(number).append("\ndata: {\"row\":").append(number);
  text.append(",\"text\":\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef012\"}\n\n");
  return text;
}

}  // namespace parkbench::workload::stream
