#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "parkbench/load/load_plan.hpp"
#include "parkbench/thread_pool/rejection_policy.hpp"
#include "parkbench/virtual_threads/scheduler.hpp"
#include "parkbench/workload/options.hpp"

namespace parkbench::run {

enum class ModelKind : std::uint8_t { thread_pool, virtual_threads, reactive };

/// How requests reach the model: handed over in this process, or over HTTP to a server in a process of its own.
enum class Transport : std::uint8_t { direct, http };

/// Every parameter of one run. Validated by whoever makes it (Python, for users).
struct Scenario {
  ModelKind model = ModelKind::thread_pool;
  Transport transport = Transport::direct;
  load::LoadPlan load;
  workload::Options workload;

  int workers = 200;
  std::size_t queue = 10'000;
  thread_pool::RejectionPolicy rejection = thread_pool::RejectionPolicy::reject;
  std::size_t stack_kib = 1024;  // of a worker
  int carriers = 1;
  virtual_threads::Stealing stealing = virtual_threads::Stealing::started;
  int loops = 1;
  std::optional<std::int64_t> limit;  // admission: most requests in the model at once

  // Control sockets of the processes beside this one; -1: there is none. The run closes them.
  int server_fd = -1;
  int downstream_fd = -1;

  // Tests and the exam only, as workload.plant and load.planted_burn.
  int drop_answers = 0;
  int planted_backlog = 0;      // of the server's listener; 0: its own
  Ns planted_accept_delay = 0;  // see server::ServerOptions
};

}  // namespace parkbench::run
