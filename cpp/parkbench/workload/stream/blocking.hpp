#pragma once

#include "parkbench/base/unique_function.hpp"
#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/workload/app_wait.hpp"
#include "parkbench/workload/resources.hpp"
#include "parkbench/workload/stream/row.hpp"

/// Server-sent events, pulled one by one by whoever writes them.
namespace parkbench::workload::stream {

/// The next row into the string, false behind the last; waits options.row_every before each but the first. resources
/// and trace outlive the function.
/// @param trace told of the waits as `app_wait` where given; the phase `cpu` is then open before and after.
inline UniqueFunction<bool(std::string&, io::Waiter&)> rows_blocking(Resources& resources, std::uint32_t rows,
                                                                     measure::PhaseTrace* trace = nullptr) {
  return [every = resources.options.row_every, rows, trace, row = std::uint32_t{0}](std::string& piece,
                                                                                    io::Waiter& waiter) mutable {
    if (row == rows) return false;
    if (row > 0 && every > 0) {
      if (trace != nullptr) {
        app_wait(waiter, every, *trace);
      } else {
        waiter.sleep_until(waiter.clock().now() + every, io::WaitReason::app_wait);
      }
    }
    piece = row_text(++row);
    return true;
  };
}

/// All rows to nobody, for the direct transport. @return how many.
inline std::int64_t run_blocking(Resources& resources, measure::Request& request, io::Waiter& waiter) {
  auto rows = rows_blocking(resources, resources.options.rows, &request.trace);
  std::string piece;
  std::int64_t count = 0;
  while (rows(piece, waiter)) ++count;
  return count;
}

}  // namespace parkbench::workload::stream
