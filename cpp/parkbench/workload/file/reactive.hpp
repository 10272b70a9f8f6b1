#pragma once

#include "parkbench/reactive/event_loop.hpp"
#include "parkbench/reactive/mono.hpp"
#include "parkbench/workload/file/blocking.hpp"

namespace parkbench::workload::file {

/// On the loop's own thread, which stalls meanwhile: that is what the workload shows.
inline reactive::Mono<std::int64_t> run_reactive(Resources& resources, measure::Request&, reactive::EventLoop&) {
  using Answer = reactive::Mono<std::int64_t>;
  return Answer::defer([&resources] {
    if (!resources.file) {
      return Answer::error({ErrorCode::not_found, "no file to read: this is not the workload file"});
    }
    const Pinned pinned(resources, PinSection::file_read);
    return Answer::just(resources.file->read());
  });
}

}  // namespace parkbench::workload::file
