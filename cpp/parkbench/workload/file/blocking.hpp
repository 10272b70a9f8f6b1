#pragma once

#include "parkbench/io/waiter.hpp"
#include "parkbench/measure/request.hpp"
#include "parkbench/workload/pinned.hpp"
#include "parkbench/workload/resources.hpp"

/// Blocking file reads: there is no other way to read a file by read(2). A worker of a pool is there to be blocked, a
/// carrier is pinned, a loop stalls.
namespace parkbench::workload::file {

/// @return bytes read. @throws Failure: not_found (not the workload file), internal.
inline std::int64_t run_blocking(Resources& resources, measure::Request&, io::Waiter&) {
  if (!resources.file) throw Failure(ErrorCode::not_found, "no file to read: this is not the workload file");
  const Pinned pinned(resources, PinSection::file_read);
  return resources.file->read();
}

}  // namespace parkbench::workload::file
